import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** The token of a job that may write comments. */
export const COMMENT_TOKEN = "github-token-canary-12";

/** A comment on a pull request. */
interface Comment {
  author: string;
  body: string;
}

/** The comments on a pull request, and the part of GitHub's API that lists, adds and edits them. */
export class Comments implements AsyncDisposable {
  readonly all: Comment[] = [];
  readonly #server = createServer(async (request, response) => {
    const [status, reply] = await this.#answer(request);
    response.writeHead(status).end(JSON.stringify(reply));
  });

  static async start(): Promise<Comments> {
    const comments = new Comments();
    await once(comments.#server.listen(0, "127.0.0.1"), "listening");
    return comments;
  }

  /** The URL that an event on the pull request contains as `comments_url`. */
  get url(): string {
    // A TCP server's address is an object.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/issues/7/comments`;
  }

  async #answer(request: IncomingMessage): Promise<[status: number, reply: unknown]> {
    if (request.headers.authorization !== `Bearer ${COMMENT_TOKEN}`) return [403, { message: "Forbidden" }];
    const url = new URL(request.url ?? "", this.url);
    switch (`${request.method} ${url.pathname.replace(/\d+$/, "N")}`) {
      case "GET /issues/7/comments":
        return [
          200,
          this.all.map(({ author, body }, n) => ({ url: `${this.url}/${n}`, user: { login: author }, body })),
        ];
      case "POST /issues/7/comments":
        this.all.push({ author: "github-actions[bot]", body: await readBody(request) });
        return [201, {}];
      case "PATCH /issues/7/comments/N": {
        const comment = this.all[Number(url.pathname.split("/").at(-1))];
        if (comment === undefined) return [404, { message: "Not Found" }];
        comment.body = await readBody(request);
        return [200, {}];
      }
      default:
        return [404, { message: "Not Found" }];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  return String(Object(await json(request)).body);
}
