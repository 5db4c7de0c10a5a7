//! Every setting by its three names: environment variable, key of the configuration file, flag.
//!
//! This table is the whole list: the reference page and `config show` are made from it, and nothing else is read.

/// One setting.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// Environment variable.
    pub env: &'static str,
    /// Dotted key in `periplus.toml`; `None` for what only the environment may say.
    pub file: Option<&'static str>,
    /// Flag of the command that takes it.
    pub flag: Option<&'static str>,
    /// Value if nobody says otherwise.
    pub default: Option<&'static str>,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Whether the value is for nobody's eyes.
    pub is_secret: bool,
    /// Whether the empty text is a value of its own and not the same as none.
    pub may_be_empty: bool,
}

const fn key(env: &'static str, file: &'static str, about: &'static str) -> Key {
    Key {
        env,
        file: Some(file),
        flag: None,
        default: None,
        about,
        is_secret: false,
        may_be_empty: false,
    }
}

/// A secret: only the environment may say it, and nothing shows it.
const fn secret(env: &'static str, about: &'static str) -> Key {
    Key {
        file: None,
        is_secret: true,
        ..key(env, "", about)
    }
}

impl Key {
    const fn flag(mut self, flag: &'static str) -> Self {
        self.flag = Some(flag);
        self
    }

    const fn default(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    const fn may_be_empty(mut self) -> Self {
        self.may_be_empty = true;
        self
    }

    /// All the ways to set it, for messages.
    #[must_use]
    pub fn names(&self) -> String {
        let flag = self.flag.map(|flag| format!("{flag}, "));
        let file = self.file.map(|file| format!(", `{file}` in periplus.toml"));
        format!(
            "{}{}{}",
            flag.unwrap_or_default(),
            self.env,
            file.unwrap_or_default()
        )
    }
}

/// The toolsets to serve.
pub static TOOLSETS: Key = key(
    "TOOLSETS",
    "toolsets",
    "Toolsets to serve, separated by commas; all toolsets of the binary if nothing is named.",
)
.flag("serve [TOOLSET]…");
/// The one toolset to serve.
pub static TOOLSET: Key = key(
    "TOOLSET",
    "toolset",
    "The one toolset to serve; TOOLSETS is stronger.",
)
.flag("serve [TOOLSET]…");
/// The toolsets of a directory.
pub static TOOLSETS_STATIC: Key = key(
    "TOOLSETS_STATIC",
    "toolsets_static",
    "Toolsets that `index` lists, as name=url separated by commas; without it those of the Kubernetes namespace.",
)
.flag("--static");
/// API server of the cluster.
pub static KUBERNETES_URL: Key = key(
    "PERIPLUS_KUBERNETES_URL",
    "kubernetes.url",
    "API server that `index` asks for toolsets; https, or http on this machine.",
)
.default("https://kubernetes.default.svc");
/// Folder of the service account.
pub static SERVICE_ACCOUNT_DIR: Key = key(
    "PERIPLUS_SERVICE_ACCOUNT_DIR",
    "kubernetes.service_account_dir",
    "Folder with the `token`, `namespace` and `ca.crt` that `index` uses to ask the API server.",
)
.default("/var/run/secrets/kubernetes.io/serviceaccount");
/// Address to listen on.
pub static HOST: Key = key(
    "HOST",
    "host",
    "IP address to listen on; a loopback address listens on both loopback families.",
)
.flag("--host")
.default("127.0.0.1");
/// Port to listen on.
pub static PORT: Key = key("PORT", "port", "Port to listen on; 0 takes a free one.")
    .flag("--port")
    .default("8000");
/// Address that clients use.
pub static PUBLIC_URL: Key = key(
    "PUBLIC_URL",
    "public_url",
    "URL that clients use, when it differs from the address listened on (behind a proxy or an ingress); \
     for `index`, the URL below which they reach each toolset.",
)
.flag("--public-url");
/// Path in front of every route.
pub static MCP_PATH_PREFIX: Key = key(
    "MCP_PATH_PREFIX",
    "path_prefix",
    "Path in front of every route, such as /tools.",
)
.flag("--path-prefix");
/// Accepted host names.
pub static ALLOWED_HOSTS: Key = key(
    "ALLOWED_HOSTS",
    "allowed_hosts",
    "Host names accepted beside loopback names and that of PUBLIC_URL, separated by commas; * for all.",
)
.flag("--allowed-host");
/// Accepted origins.
pub static ALLOWED_ORIGINS: Key = key(
    "ALLOWED_ORIGINS",
    "allowed_origins",
    "Browser origins accepted beside loopback origins and that of PUBLIC_URL, separated by commas; * for all.",
)
.flag("--allowed-origin");
/// Processes behind one address.
pub static REPLICAS: Key = key(
    "MCP_REPLICAS",
    "replicas",
    "Processes that serve under one address; with more than one, what a single process keeps in memory is not \
     offered: calls that become tasks, and questions to legacy clients.",
)
.default("1");
/// Key of the states that clients carry.
pub static STATE_KEY_FILE: Key = key(
    "MCP_STATE_KEY_FILE",
    "state_key_file",
    "File with the key that signs what clients carry between the rounds of a call that asks something; the same on \
     all replicas, random for each process if nothing is named.",
);
/// Time for running calls at the end.
pub static DRAIN_SECONDS: Key = key(
    "PERIPLUS_DRAIN_SECONDS",
    "drain_seconds",
    "Seconds that running calls get to finish once the server is told to stop.",
)
.flag("--drain-seconds")
.default("10");
/// Server that client commands talk to.
pub static MCP_URL: Key = key(
    "MCP_URL",
    "url",
    "Server that `list`, `call`, `repl`, `chat`, `web` and `doctor` talk to: an index, a server's root, or one MCP URL.",
)
.flag("--url")
.default("http://127.0.0.1:8000");
/// Model of the agent.
pub static PROVIDER_MODEL: Key = key(
    "PROVIDER_MODEL",
    "agent.model",
    "Model that answers in `chat` and `web`, as provider:model; the guide, which needs no model, if nothing is named.",
)
.flag("--model");
/// Key of that model.
pub static PROVIDER_API_KEY: Key = secret(
    "PROVIDER_API_KEY",
    "Key of the provider that PROVIDER_MODEL names.",
);
/// Address of that model.
pub static PROVIDER_BASE_URL: Key = key(
    "PROVIDER_BASE_URL",
    "agent.base_url",
    "Where the model is asked instead of its provider's own address, such as http://127.0.0.1:11434/v1.",
);
/// What the agent is for.
pub static AGENT_PROFILE: Key = key(
    "MCP_AGENT_PROFILE",
    "agent.profile",
    "What the agent of `chat` and `web` is for: a name that brings a system prompt, and toolsets that are used where no \
     server is named; `zeno` answers questions about land and forests.",
)
.flag("--profile");
/// Where threads are kept.
pub static AGENT_CHECKPOINT: Key = key(
    "MCP_AGENT_CHECKPOINT",
    "agent.checkpoint",
    "Where threads of `chat` and `web` are kept: memory, sqlite:PATH or a PostgreSQL address; a file in the user's data \
     folder if nothing is named.",
)
.flag("--checkpoint");
/// Values by reference.
pub static AGENT_STATE: Key = key(
    "MCP_AGENT_STATE",
    "agent.state",
    "Whether values of tools are kept out of the model's context and passed by reference: on or off.",
)
.default("on");
/// Questions to the person.
pub static AGENT_INTERRUPT: Key = key(
    "MCP_AGENT_INTERRUPT_GATE",
    "agent.questions",
    "Whether the model may ask the person to choose: on or off.",
)
.default("on");
/// Fewest options of a question.
pub static AGENT_MIN_OPTIONS: Key = key(
    "MCP_AGENT_INTERRUPT_GATE_MIN_OPTIONS",
    "agent.min_options",
    "Fewest options that a question to the person has.",
)
.default("2");
/// Most options of a question.
pub static AGENT_MAX_OPTIONS: Key = key(
    "MCP_AGENT_INTERRUPT_GATE_MAX_OPTIONS",
    "agent.max_options",
    "Most options that a question to the person has.",
)
.default("10");
/// Origins of pages that call the agent.
pub static AGENT_CORS_ORIGINS: Key = key(
    "MCP_AGENT_API_CORS_ORIGINS",
    "agent.origins",
    "Origins of web pages that may call `web` with credentials, separated by commas.",
)
.flag("--origin");
/// Header that names the user.
pub static AGENT_OWNER_HEADER: Key = key(
    "MCP_AGENT_OWNER_HEADER",
    "agent.owner_header",
    "Header in which a proxy in front of `web` names the user; a thread can be used by its user only then.",
)
.flag("--owner-header");
/// What is logged.
pub static LOG: Key = key(
    "PERIPLUS_LOG",
    "log",
    "What is logged to stderr: error, warn, info, debug, trace, or a filter such as periplus_runtime=debug; \
     info for `serve`, error for `chat` and `eval`, warn otherwise.",
)
.flag("--log");
/// Form of the log.
pub static LOG_FORMAT: Key = key(
    "PERIPLUS_LOG_FORMAT",
    "log_format",
    "Form of the log: text or json.",
)
.flag("--log-format")
.default("text");
/// Configuration file.
pub static CONFIG: Key = Key {
    env: "PERIPLUS_CONFIG",
    file: None,
    flag: Some("--config"),
    default: None,
    about: "Configuration file; ./periplus.toml is read if it exists and nothing is named.",
    is_secret: false,
    may_be_empty: false,
};
/// Snapshot of the collection.
pub static MET_DATA_DIR: Key = key(
    "MET_MCP_DATA_DIR",
    "met.data_dir",
    "Snapshot folder that `met` serves, made by `met import`; the embedded rows if nothing is named.",
);
/// Bearer secret of `met`.
pub static MET_BEARER_TOKEN_FILE: Key = key(
    "MET_MCP_BEARER_TOKEN_FILE",
    "met.bearer_token_file",
    "File with the bearer secret of `met`, readable by its owner only; without one `met` is served on loopback only.",
);
/// Accepted host names of `met`.
pub static MET_ALLOWED_HOSTS: Key = key(
    "MET_MCP_ALLOWED_HOSTS",
    "met.allowed_hosts",
    "Host names accepted for `met` beside ALLOWED_HOSTS, separated by commas.",
);
/// Accepted origins of `met`.
pub static MET_ALLOWED_ORIGINS: Key = key(
    "MET_MCP_ALLOWED_ORIGINS",
    "met.allowed_origins",
    "Browser origins accepted for `met` beside ALLOWED_ORIGINS, separated by commas.",
);
/// Queries of `met` that run at once.
pub static MET_MAX_CONCURRENT_QUERIES: Key = key(
    "MET_MCP_MAX_CONCURRENT_QUERIES",
    "met.max_concurrent_queries",
    "Expensive queries of `met` that run at once; more wait for a short while, then are refused as busy.",
)
.default("1");
/// Largest set that `met` ranks.
pub static MET_MAX_CANDIDATES: Key = key(
    "MET_MCP_MAX_CANDIDATES",
    "met.max_candidates",
    "Largest selection that `met` ranks; up to the whole collection, within the time budget of a query.",
)
.default("5000");
/// Key of `met`'s receipts.
pub static MET_RECEIPT_KEY_FILE: Key = key(
    "MET_MCP_RECEIPT_KEY_FILE",
    "met.receipt_key_file",
    "File with a key that signs the receipts and cursors of `met`; the same on all replicas.",
);
/// Catalogue of `stac-explorer`.
pub static STAC_EXPLORER_ROOT: Key = key(
    "STAC_EXPLORER_ROOT",
    "stac_explorer.root",
    "Root URL of the STAC API that `stac-explorer` searches; an embedded recording if nothing is named.",
);
/// Tiler of `stac-explorer`.
pub static STAC_EXPLORER_TILER: Key = key(
    "STAC_EXPLORER_TILER",
    "stac_explorer.tiler",
    "Root URL of the tiler that `stac-explorer` takes data layers from; maps show extents if nothing is named.",
);
/// Database of areas.
pub static DATABASE_URL: Key = secret(
    "DATABASE_URL",
    "Address of the PostGIS database in which `zeno-aoi` looks areas up; the embedded catalogue if nothing is set.",
);
/// File of areas.
pub static AOI_FILE: Key = key(
    "PERIPLUS_AOI_FILE",
    "zeno.aoi_file",
    "Catalogue file in which `zeno-aoi` looks areas up, made by `aoi import`; the embedded one if nothing is named.",
);
/// Model of the zeno toolsets.
pub static ZENO_MODEL: Key = key(
    "ZENO_MODEL",
    "zeno.model",
    "Model that reads places and chooses datasets, as provider:model; google:gemini-3-flash-preview if only GOOGLE_API_KEY is set, rules \
     if neither is.",
)
.flag("eval zeno --model");
/// Key of Google's models.
pub static GOOGLE_API_KEY: Key = secret(
    "GOOGLE_API_KEY",
    "Key of Google's models, for the zeno toolsets; also that of another provider if ZENO_MODEL names one.",
);
/// The model that writes analysis programs for `zeno-analysis`.
pub static ZENO_CODING_MODEL: Key = key(
    "ZENO_CODING_MODEL",
    "zeno.coding_model",
    "Model that writes analysis programs, as provider:model; google:gemini-3.1-pro-preview if only GOOGLE_API_KEY is set, \
     built-in rules make the charts if neither is.",
);
/// Models that write programs when the first one cannot.
pub static ZENO_CODING_FALLBACK_MODELS: Key = key(
    "ZENO_CODING_FALLBACK_MODELS",
    "zeno.coding_fallback_models",
    "Models tried in their order when ZENO_CODING_MODEL writes no program that holds, separated by commas; \
     google:gemini-2.5-pro and google:gemini-3-flash-preview if only GOOGLE_API_KEY is set.",
);
/// Analytics service of `zeno-analysis`.
pub static ANALYTICS_API_BASE_URL: Key = key(
    "ANALYTICS_API_BASE_URL",
    "zeno.analytics_url",
    "Root URL of the analytics service; without it and WRI_BEARER_TOKEN the built-in stand-in answers from published \
     statistics.",
);
/// Token of the analytics service.
pub static WRI_BEARER_TOKEN: Key = secret(
    "WRI_BEARER_TOKEN",
    "Bearer token of the analytics service; alone it selects https://analytics.globalnaturewatch.org.",
);
/// Stage of the analytics service.
pub static GNW_STAGE: Key = key(
    "GNW_STAGE",
    "zeno.analytics_stage",
    "Data that the analytics service uses: production, or anything else for staging.",
)
.default("production");
/// Datasets that are hidden.
pub static ZENO_EXCLUDED_DATASETS: Key = key(
    "ZENO_EXCLUDED_DATASETS",
    "zeno.excluded_datasets",
    "Names of datasets that `zeno-analysis` hides, separated by commas; set to nothing it hides none.",
)
.default("Land GHG Monitoring System (LGMS)")
.may_be_empty();
/// Tiles of `zeno-analysis`.
pub static EOAPI_BASE_URL: Key = key(
    "EOAPI_BASE_URL",
    "zeno.tiles_url",
    "Root URL in front of map tiles that name no host.",
)
.default("https://eoapi-cache.globalnaturewatch.org");

/// All settings, in the order in which they are shown.
pub static ALL: &[&Key] = &[
    &TOOLSETS,
    &TOOLSET,
    &TOOLSETS_STATIC,
    &HOST,
    &PORT,
    &PUBLIC_URL,
    &MCP_PATH_PREFIX,
    &ALLOWED_HOSTS,
    &ALLOWED_ORIGINS,
    &REPLICAS,
    &STATE_KEY_FILE,
    &DRAIN_SECONDS,
    &KUBERNETES_URL,
    &SERVICE_ACCOUNT_DIR,
    &MCP_URL,
    &PROVIDER_MODEL,
    &PROVIDER_API_KEY,
    &PROVIDER_BASE_URL,
    &AGENT_PROFILE,
    &AGENT_CHECKPOINT,
    &AGENT_STATE,
    &AGENT_INTERRUPT,
    &AGENT_MIN_OPTIONS,
    &AGENT_MAX_OPTIONS,
    &AGENT_CORS_ORIGINS,
    &AGENT_OWNER_HEADER,
    &LOG,
    &LOG_FORMAT,
    &CONFIG,
    &MET_DATA_DIR,
    &MET_BEARER_TOKEN_FILE,
    &MET_ALLOWED_HOSTS,
    &MET_ALLOWED_ORIGINS,
    &MET_MAX_CONCURRENT_QUERIES,
    &MET_MAX_CANDIDATES,
    &MET_RECEIPT_KEY_FILE,
    &STAC_EXPLORER_ROOT,
    &STAC_EXPLORER_TILER,
    &DATABASE_URL,
    &AOI_FILE,
    &ZENO_MODEL,
    &GOOGLE_API_KEY,
    &ZENO_CODING_MODEL,
    &ZENO_CODING_FALLBACK_MODELS,
    &ANALYTICS_API_BASE_URL,
    &WRI_BEARER_TOKEN,
    &GNW_STAGE,
    &ZENO_EXCLUDED_DATASETS,
    &EOAPI_BASE_URL,
];

/// Variables of other programs that are followed, with what they do here.
pub static FOREIGN: &[(&str, &str)] = &[
    (
        "XDG_CACHE_HOME",
        "Parent of the cache folder `periplus`; `~/.cache` unless set.",
    ),
    (
        "XDG_DATA_HOME",
        "Parent of the folder `periplus` with the history of `repl`; `~/.local/share` unless set.",
    ),
    ("HOME", "Where `~` is."),
    ("NO_COLOR", "Set to anything: no colours."),
    (
        "HTTPS_PROXY",
        "Proxy for outgoing https requests; also HTTP_PROXY and NO_PROXY. Loopback never uses a proxy.",
    ),
    (
        "SSL_CERT_FILE",
        "Certificates trusted for outgoing https requests, instead of the system's; also SSL_CERT_DIR.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_described_in_a_sentence() {
        let envs: BTreeSet<_> = ALL.iter().map(|key| key.env).collect();
        let files: BTreeSet<_> = ALL.iter().filter_map(|key| key.file).collect();
        assert_eq!(envs.len(), ALL.len());
        let only_environment: Vec<_> = ALL.iter().filter(|key| key.file.is_none()).collect();
        assert_eq!(files.len() + only_environment.len(), ALL.len());
        assert!(
            only_environment
                .iter()
                .all(|key| key.is_secret || key.env == CONFIG.env),
            "everything but secrets and the file's own place can be in the file"
        );
        for key in ALL {
            assert!(key.about.ends_with('.'), "{}", key.env);
        }
    }
}
