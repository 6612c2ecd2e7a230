import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { createServer } from "node:http";
import { listen } from "../../scripts/listen.mts";

export const GITHUB_TOKEN = "github-token";

/** The run of a workflow, as GitHub's API shows it. */
const RUN = {
  path: ".github/workflows/deploy.yml",
  event: "push",
  head_branch: "main",
  head_repository_id: 1,
};

interface Artifact {
  id: number;
  name: string;
  expired: boolean;
  zip: Buffer;
  run: typeof RUN;
}

/** The artifacts of a repository at GitHub, and the part of its API that serves them. */
export class Artifacts {
  readonly list: Artifact[] = [];
  #count = 0;

  /** Keeps the files of notes in Pulumi's home, if it has any, as an artifact of a run. */
  keep(name: string, home: string, run: Partial<typeof RUN> = {}): void {
    const cwd = `${home}/webhooks`;
    const files = globSync("*/*.jsonl", { cwd });
    if (files.length === 0) return;
    const zip = execFileSync("zip", ["-q", "-", ...files], { cwd });
    this.list.push({ id: ++this.#count, name, expired: false, zip, run: { ...RUN, ...run } });
  }

  /** Starts a server of the API. */
  async serve(): Promise<AsyncDisposable & { url: string }> {
    const server = createServer(({ method, url = "", headers }, response) => {
      const { pathname, searchParams } = new URL(url, "http://github");
      const [, what, id, rest] =
        /^\/repos\/acme\/webhooks\/actions\/(\w+)(?:\/(\d+))?(\/zip)?$/.exec(pathname) ?? [];
      const found = this.list.find((one) => `${one.id}` === (id ?? pathname.replace("/storage/", "")));
      const send = (status: number, body?: object | Buffer, location = "") =>
        response
          .writeHead(status, { location })
          .end(Buffer.isBuffer(body) ? body : body && JSON.stringify(body));
      // The storage is another host, which refuses GitHub's token.
      if (pathname.startsWith("/storage/")) return send(headers.authorization ? 400 : 200, found?.zip);
      if (headers.authorization !== `Bearer ${GITHUB_TOKEN}`) return send(401);
      if (what === "artifacts" && id === undefined) return send(200, { artifacts: this.#page(searchParams) });
      if (found === undefined) return send(404);
      if (what === "runs") return send(200, found.run);
      if (method === "DELETE") {
        this.list.splice(this.list.indexOf(found), 1);
        return send(204);
      }
      return rest && found.expired
        ? send(410)
        : send(302, undefined, `http://localhost:${headers.host?.split(":")[1]}/storage/${id}`);
    });
    return {
      url: `http://127.0.0.1:${await listen(server)}`,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }

  #page(query: URLSearchParams): object[] {
    const [size, page] = [Number(query.get("per_page")), Number(query.get("page"))];
    return this.list
      .filter(({ name }) => name === query.get("name"))
      .toReversed() // The newest one is the first.
      .slice(size * (page - 1), size * page)
      .map(({ id, name, expired, run: { head_branch, head_repository_id } }) => ({
        id,
        name,
        expired,
        created_at: "2026-01-01T12:00:00Z",
        workflow_run: { id, head_branch, head_repository_id, repository_id: 1 },
      }));
  }
}
