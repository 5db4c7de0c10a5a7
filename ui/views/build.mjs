/**
 * Builds every view into one self-contained HTML file and writes it where its toolset embeds it.
 * With `--check` it writes nothing and fails if a committed file differs from what its sources give.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const here = dirname(fileURLToPath(import.meta.url));
const repository = join(here, "../..");

/** Hosts refuse large resources; a view beyond this needs a second thought. */
const MAX_BYTES = 1_000_000;

/** The first browsers with `light-dark()`; for older ones it would be replaced by what ignores the host's theme. */
const CSS_TARGET = ["chrome123", "firefox120", "safari17.5"];

/** What a bundle contains besides our own code, each with its licence text. */
const NOTICES = { leaflet: "leaflet/LICENSE", worldAtlas: "world-atlas/LICENSE" };

const VIEWS = [
  { source: "collection-picker", target: "toolsets/stac-explorer/src/views/collection-picker.html", notices: [] },
  { source: "stac-map", target: "toolsets/stac-explorer/src/views/map.html", notices: ["leaflet", "worldAtlas"] },
  { source: "object-card", target: "toolsets/met/src/views/object-card.html", notices: [] },
  { source: "result-grid", target: "toolsets/met/src/views/result-grid.html", notices: [] },
];

/** Returns the whole page of one view. */
export async function bundle({ source, notices }) {
  const output = await build({
    root: join(here, source),
    configFile: false,
    envDir: false,
    logLevel: "warn",
    plugins: [viteSingleFile()],
    build: { write: false, target: "es2023", cssTarget: CSS_TARGET, modulePreload: false },
  });
  const [page, ...rest] = output.output;
  if (page?.type !== "asset" || rest.length > 0) throw new Error(`${source} is not one file: ${output.output.length}`);

  const header = [`Generated from ui/views/${source} by \`npm run build\`; do not edit.`];
  for (const name of notices) header.push(await readFile(join(here, "../node_modules", NOTICES[name]), "utf8"));
  const html = String(page.source).replace(
    /^<!doctype html>/i,
    `<!doctype html>\n<!--\n${header.join("\n\n").trim()}\n-->`,
  );
  const bytes = Buffer.byteLength(html);
  if (bytes > MAX_BYTES) throw new Error(`${source} has ${bytes} bytes, more than ${MAX_BYTES}`);
  return html;
}

async function main(check) {
  let stale = 0;
  for (const view of VIEWS) {
    const html = await bundle(view);
    const target = join(repository, view.target);
    const size = `${(Buffer.byteLength(html) / 1000).toFixed(1)} kB`;
    if (!check) {
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, html);
      console.log(`wrote ${view.target} (${size})`);
    } else if ((await readFile(target, "utf8").catch(() => undefined)) === html) {
      console.log(`current ${view.target} (${size})`);
    } else {
      stale += 1;
      console.error(`stale ${relative(repository, target)}: run \`npm run build\` in ui/ and commit the result`);
    }
  }
  return stale === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.includes("--check"));
