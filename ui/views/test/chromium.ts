/** Opens views in Chromium as a strict host does: sandboxed, with a content security policy, and cut off from the network. */
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext, type FrameLocator, type Page } from "playwright-core";
import { build } from "vite";
import type { Host, HostOptions } from "./host/host.js";

const HOST = "http://host.test/";
const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
/** A sky and a field, which answer every permitted image request. */
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256">
  <rect width="256" height="256" fill="#9cc3dd"/><path d="M0 180 90 120 170 170 256 110V256H0Z" fill="#7a9a6b"/>
</svg>`;

export interface OpenOptions extends Partial<HostOptions> {
  /** Origins the view may load images from; everything else is refused by its content security policy. */
  resourceDomains?: string[];
  /** The permitted origins answer nothing. */
  offline?: boolean;
}

export class Chromium {
  private constructor(
    readonly browser: Browser,
    readonly hostPage: string,
  ) {}

  static async launch(): Promise<Chromium> {
    const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
    if (!existsSync(executablePath)) {
      throw new Error(`no Chromium at ${executablePath}: install the package chromium, or set CHROMIUM to its path`);
    }
    const [browser, script] = await Promise.all([
      chromium.launch({ executablePath, args: ["--no-sandbox"] }),
      hostScript(),
    ]);
    return new Chromium(browser, `<!doctype html><title>host</title><body><script type="module">${script}</script>`);
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  /** Opens a built view, by its path in the repository, and waits until host and view know each other. */
  async open(bundle: string, options: OpenOptions = {}): Promise<OpenView> {
    const { width = 900, context = {}, capabilities = {}, tools = {}, resourceDomains = [], offline = false } = options;
    const html = await readFile(join(REPOSITORY, bundle), "utf8");
    const browserContext = await this.browser.newContext({ viewport: { width, height: 700 } });
    const page = await browserContext.newPage();
    const view = new OpenView(browserContext, page);

    await page.route("**/*", async (route) => {
      const url = route.request().url();
      if (url === HOST) return route.fulfill({ contentType: "text/html", body: this.hostPage });
      if (url === `${HOST}view`)
        return route.fulfill({ contentType: "text/html", headers: policy(resourceDomains), body: html });
      view.requests.push(url);
      if (offline || !resourceDomains.includes(new URL(url).origin)) return route.abort();
      return route.fulfill({ contentType: "image/svg+xml", body: PICTURE });
    });
    page.on("pageerror", (error) => view.errors.push(error.message));
    await page.goto(HOST);
    await page.waitForFunction(() => "host" in window);
    await page.evaluate((options) => (window as unknown as { host: Host }).host.start(options), {
      width,
      context,
      capabilities: { message: { text: {} }, openLinks: {}, sandbox: { csp: { resourceDomains } }, ...capabilities },
      tools,
    });
    return view;
  }
}

export class OpenView {
  /** Addresses outside the host that the view tried to load. */
  readonly requests: string[] = [];
  /** Uncaught errors, the frame's included. */
  readonly errors: string[] = [];
  readonly frame: FrameLocator;

  constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    this.frame = page.frameLocator("iframe");
  }

  seen(): Promise<Host["seen"]> {
    return this.page.evaluate(() => (window as unknown as { host: Host }).host.seen);
  }

  result(structuredContent: object): Promise<void> {
    return this.page.evaluate(
      (content) => (window as unknown as { host: Host }).host.result(content),
      structuredContent as Record<string, unknown>,
    );
  }

  failure(text: string): Promise<void> {
    return this.page.evaluate((text) => (window as unknown as { host: Host }).host.failure(text), text);
  }

  hostContext(context: Record<string, unknown>): Promise<void> {
    return this.page.evaluate((context) => (window as unknown as { host: Host }).host.context(context), context);
  }

  /** Gives the frame another width. */
  resize(width: number): Promise<void> {
    return this.page.evaluate((width) => (window as unknown as { host: Host }).host.resize(width), width);
  }

  tearDown(): Promise<object> {
    return this.page.evaluate(() => (window as unknown as { host: Host }).host.tearDown());
  }

  /** Reads something inside the frame. */
  evaluate<T>(read: () => T): Promise<T> {
    const frame = this.page.frames().find((candidate) => candidate.url() === `${HOST}view`);
    if (!frame) throw new Error("the view is not loaded");
    return frame.evaluate(read) as Promise<T>;
  }

  /** Saves a picture of the view in the folder that SCREENSHOTS names, if it is set. */
  async screenshot(name: string): Promise<void> {
    const folder = process.env["SCREENSHOTS"];
    if (!folder) return;
    await mkdir(folder, { recursive: true });
    const height = (await this.seen()).heights.at(-1)!;
    // All of it at once, because a frame draws only what is in sight.
    await this.page.setViewportSize({ width: 920, height: height + 20 });
    await this.page.waitForTimeout(400);
    await this.page.locator("iframe").screenshot({ path: join(folder, `${name}.png`) });
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** The policy that MCP Apps prescribes for a view with these resource domains. */
function policy(resourceDomains: string[]): Record<string, string> {
  const resources = resourceDomains.join(" ");
  const directives = [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${resources}`,
    `style-src 'self' 'unsafe-inline' ${resources}`,
    `img-src 'self' data: ${resources}`,
    `font-src 'self' ${resources}`,
    "connect-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'self'",
  ];
  return { "content-security-policy": directives.join("; ") };
}

async function hostScript(): Promise<string> {
  const entry = fileURLToPath(new URL("host/host.ts", import.meta.url));
  const built = await build({
    configFile: false,
    logLevel: "warn",
    build: { write: false, minify: false, lib: { entry, formats: ["es"], fileName: "host" } },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const output = Array.isArray(built) ? built[0]!.output : "output" in built ? built.output : [];
  const code = output.flatMap((file) => (file.type === "chunk" ? [file.code] : [])).join("\n");
  return code.replaceAll("</script", "<\\/script");
}
