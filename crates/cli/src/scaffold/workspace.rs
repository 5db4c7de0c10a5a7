//! A workspace of toolsets on disk.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use toml::de::{DeTable, DeValue};

use super::{Change, Name, Source, list, template};
use crate::exit::{CliError, Exit};

/// A cargo workspace with toolsets and a binary that ships them.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
    /// Name of the binary's package; those of the toolsets begin with it.
    app: String,
}

impl Workspace {
    /// The workspace that a folder lies in.
    ///
    /// # Errors
    /// It lies in none, or the workspace is not of the form that is known.
    pub(crate) fn find(folder: &Path) -> Result<Self, CliError> {
        let is_workspace =
            |root: &&Path| root.join("app/src/main.rs").is_file() && root.join("Cargo.toml").is_file();
        let root = folder.ancestors().find(is_workspace).ok_or_else(|| {
            CliError::usage(format!("{} lies in no workspace of toolsets", folder.display()))
                .hint("go to one, or make one: periplus new NAME --workspace DIR")
        })?;
        let manifest = root.join("app/Cargo.toml");
        let app = lookup(&read(&manifest)?, &["package", "name"]).ok_or_else(|| {
            CliError::usage(format!(
                "{} does not say the name of its package",
                manifest.display()
            ))
        })?;
        Ok(Self {
            root: root.to_owned(),
            app,
        })
    }

    /// Makes a workspace without toolsets; it is named after its folder.
    ///
    /// # Errors
    /// The folder is not empty, its name cannot be one, or it cannot be written.
    pub(crate) fn create(root: &Path, source: &Source, change: &mut Change) -> Result<Self, CliError> {
        let is_taken = fs::read_dir(root).is_ok_and(|mut entries| entries.next().is_some()) || root.is_file();
        if is_taken {
            return Err(CliError::usage(format!("{} exists already", root.display())));
        }
        let app = root.file_name().unwrap_or_default().to_string_lossy();
        let app = Name::parse(&app).map_err(|error| error.hint("the workspace is named after its folder"))?;
        let files = template::workspace(app.as_str(), source);
        change
            .create_folder(root, &files)
            .map_err(|error| unwritten(root, &error))?;
        Ok(Self {
            root: root.to_owned(),
            app: app.as_str().to_owned(),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The package of the binary.
    pub(crate) fn app(&self) -> &str {
        &self.app
    }

    /// The package of a toolset.
    pub(crate) fn package(&self, name: &Name) -> String {
        format!("{}-{name}", self.app)
    }

    /// The folder of a toolset.
    pub(crate) fn folder(&self, name: &Name) -> PathBuf {
        self.root.join("toolsets").join(name.as_str())
    }

    /// Adds a toolset; the files that were made, relative to the root.
    ///
    /// # Errors
    /// There is one of that name, a list cannot be found, or something cannot be written.
    pub(crate) fn add(
        &self,
        name: &Name,
        with_view: bool,
        change: &mut Change,
    ) -> Result<Vec<PathBuf>, CliError> {
        let folder = self.folder(name);
        if folder.exists() {
            return Err(CliError::usage(format!(
                "there is a toolset {:?} already",
                name.as_str()
            )));
        }
        let package = self.package(name);
        let mut edits = Vec::new();
        for (path, lines) in self.lists().into_iter().zip(template::listed(name, &package)) {
            let text = read(&path)?;
            let edited = list::add(&text, &lines).ok_or_else(|| no_list(&path))?;
            edits.push((path, edited));
        }
        let inherited = inherited(&read(&self.root.join("Cargo.toml"))?);
        let files = template::toolset(name, &package, &inherited, with_view);
        change
            .create_folder(&folder, &files)
            .map_err(|error| unwritten(&folder, &error))?;
        self.write(edits, change)?;
        let below_root = PathBuf::from("toolsets").join(name.as_str());
        Ok(files.into_iter().map(|(file, _)| below_root.join(file)).collect())
    }

    /// Takes a toolset away; the lists that no longer name it, relative to the root.
    ///
    /// # Errors
    /// There is none of that name, or something cannot be written.
    pub(crate) fn remove(&self, name: &Name, change: &mut Change) -> Result<(), CliError> {
        let edits = self.removals(name)?;
        change
            .remove_folder(&self.folder(name))
            .map_err(|error| unwritten(&self.folder(name), &error))?;
        self.write(edits, change)
    }

    /// The lists without a toolset, those that name it only.
    pub(crate) fn removals(&self, name: &Name) -> Result<Vec<(PathBuf, String)>, CliError> {
        if !self.folder(name).is_dir() {
            return Err(CliError::usage(format!(
                "there is no toolset {:?} in {}",
                name.as_str(),
                self.root.join("toolsets").display()
            )));
        }
        let package = self.package(name);
        let [workspace, app, program] = self.lists();
        let mut edits = Vec::new();
        for path in [workspace, app] {
            if let Some(edited) = list::remove_dependency(&read(&path)?, &package) {
                edits.push((path, edited));
            }
        }
        if let Some(edited) = list::remove_entry(&read(&program)?, name.as_str()) {
            edits.push((program, edited));
        }
        Ok(edits)
    }

    /// The files that list toolsets: dependencies of the workspace, those of the binary, toolsets of the binary.
    fn lists(&self) -> [PathBuf; 3] {
        ["Cargo.toml", "app/Cargo.toml", "app/src/main.rs"].map(|path| self.root.join(path))
    }

    fn write(&self, edits: Vec<(PathBuf, String)>, change: &mut Change) -> Result<(), CliError> {
        let lock = self.root.join("Cargo.lock");
        change.guard(&lock).map_err(|error| unwritten(&lock, &error))?;
        for (path, text) in edits {
            change
                .replace(&path, &text)
                .map_err(|error| unwritten(&path, &error))?;
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<String, CliError> {
    fs::read_to_string(path)
        .map_err(|error| CliError::usage(format!("cannot read {}: {error}", path.display())))
}

fn unwritten(path: &Path, error: &io::Error) -> CliError {
    CliError {
        exit: Exit::Output,
        message: format!("cannot write {}: {error}", path.display()),
        hint: None,
    }
}

fn no_list(path: &Path) -> CliError {
    let is_program = path.extension().is_some_and(|ending| ending == "rs");
    CliError::usage(format!(
        "{} does not say where its toolsets are listed",
        path.display()
    ))
    .hint(format!(
        "put this comment after the last of them: {}",
        template::end_of_list(is_program)
    ))
}

/// A text in a manifest by its path of keys.
fn lookup(manifest: &str, path: &[&str]) -> Option<String> {
    let (last, tables) = path.split_last()?;
    let document = DeTable::parse(manifest).ok()?;
    let mut table = document.get_ref();
    for key in tables {
        table = match table.get(*key)?.get_ref() {
            DeValue::Table(inner) => inner,
            _ => return None,
        };
    }
    match table.get(*last)?.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The keys that a workspace offers its packages.
fn inherited(manifest: &str) -> Vec<String> {
    let Ok(document) = DeTable::parse(manifest) else {
        return Vec::new();
    };
    let package = document
        .get_ref()
        .get("workspace")
        .and_then(|workspace| workspace.get_ref().get("package"));
    match package.map(toml::Spanned::get_ref) {
        Some(DeValue::Table(package)) => package.keys().map(|key| key.get_ref().to_string()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn fresh() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        let mut change = Change::default();
        let source = Source::Git("https://git.example.org/x".to_owned());
        let workspace = Workspace::create(&folder.path().join("acme"), &source, &mut change).unwrap();
        change.keep().unwrap();
        (folder, workspace)
    }

    #[test]
    fn what_is_added_can_be_removed_and_leaves_the_workspace_as_it_was() {
        let (_folder, workspace) = fresh();
        let texts = || workspace.lists().map(|path| fs::read_to_string(path).unwrap());
        let before = texts();
        let mut change = Change::default();
        let made = workspace.add(&name("land-cover"), true, &mut change).unwrap();
        change.keep().unwrap();
        assert!(
            made.contains(&"toolsets/land-cover/src/views/panel.html".into()),
            "{made:?}"
        );
        let [dependencies, app, program] = texts();
        assert!(dependencies.contains("acme-land-cover = { path = \"toolsets/land-cover\" }"));
        assert!(app.contains("acme-land-cover.workspace = true"));
        assert!(program.contains("Ok(acme_land_cover::toolset())"), "{program}");
        assert!(
            workspace
                .add(&name("land-cover"), false, &mut Change::default())
                .is_err()
        );

        let found = Workspace::find(&workspace.folder(&name("land-cover")).join("src")).unwrap();
        assert_eq!((found.root(), found.app()), (workspace.root(), "acme"));
        let mut change = Change::default();
        found.remove(&name("land-cover"), &mut change).unwrap();
        change.keep().unwrap();
        assert_eq!(texts(), before);
        assert!(found.remove(&name("land-cover"), &mut Change::default()).is_err());
    }

    #[test]
    fn nothing_is_written_where_a_list_is_missing() {
        let (_folder, workspace) = fresh();
        let program = workspace.root().join("app/src/main.rs");
        fs::write(&program, "fn main() {}\n").unwrap();
        let before = fs::read_to_string(workspace.root().join("Cargo.toml")).unwrap();
        let error = workspace
            .add(&name("words"), false, &mut Change::default())
            .unwrap_err();
        assert!(error.hint.unwrap().contains("// `periplus new`"));
        assert!(!workspace.folder(&name("words")).exists());
        assert_eq!(
            fs::read_to_string(workspace.root().join("Cargo.toml")).unwrap(),
            before
        );
    }

    #[test]
    fn this_repository_is_a_workspace_of_toolsets() {
        let workspace = Workspace::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(workspace.app(), "periplus");
        for path in workspace.lists() {
            let text = fs::read_to_string(&path).unwrap();
            assert!(list::add(&text, "x").is_some(), "{}", path.display());
        }
        assert_eq!(workspace.removals(&name("hello")).unwrap().len(), 3);
        assert!(
            inherited(&read(&workspace.root().join("Cargo.toml")).unwrap()).contains(&"license".to_owned())
        );
    }

    #[test]
    fn a_folder_with_something_in_it_becomes_no_workspace() {
        let (folder, workspace) = fresh();
        let source = Source::Git("x://y".to_owned());
        let create = |path: &Path| Workspace::create(path, &source, &mut Change::default());
        assert!(create(workspace.root()).is_err());
        assert!(create(&folder.path().join("Not A Name")).is_err());
        fs::create_dir(folder.path().join("empty")).unwrap();
        assert!(create(&folder.path().join("empty")).is_ok());
    }
}
