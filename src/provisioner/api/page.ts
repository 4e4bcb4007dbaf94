import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** A page for people at `/`: the schema to read, a place to write a query, and its answer. Needs nothing from elsewhere. */
export function servePage(
  app: FastifyInstance,
  { path, sdl }: { readonly path: string; readonly sdl: string },
): void {
  const page = pageFor(path, sdl);
  const hashOf = (tag: string) => {
    const [, content = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page) ?? [];
    return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
  };
  const policy = `default-src 'none'; connect-src 'self'; style-src ${hashOf('style')}; script-src ${hashOf('script')}; base-uri 'none'; frame-ancestors 'none'`;
  app.get('/', async (_request, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page),
  );
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const example = `query {
  runtimeOperationStatus(id: "…") {
    id operation state message runtimeID
    lastError { errMessage reason component }
  }
}`;

const pageFor = (path: string, sdl: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runtime provisioner</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
  body { margin: 1.5rem auto; padding: 0 1rem; max-width: 80rem; }
  form, .both { display: grid; gap: .8rem; }
  @media (min-width: 60rem) { .both { grid-template-columns: 1fr 1fr; } }
  textarea, pre, input { font: 13px/1.45 ui-monospace, monospace; width: 100%; box-sizing: border-box; }
  textarea { min-height: 16rem; }
  pre { overflow: auto; max-height: 60vh; border: 1px solid #8884; padding: .6rem; margin: 0; min-height: 4rem; }
  button { padding: .4rem 1.2rem; justify-self: start; }
</style>
<h1>Runtime provisioner</h1>
<p>GraphQL at <code>${escaped(path)}</code>. Every request names its global account in the header <code>tenant</code>.
Progress of an operation, live: <code>GET /operations/&lt;id&gt;/events</code>.</p>
<div class="both">
  <form>
    <label>bearer token <input name="token" autocomplete="off"></label>
    <label>tenant <input name="tenant" autocomplete="off" required></label>
    <label>sub-account <input name="subaccount" autocomplete="off"></label>
    <label>query or mutation <textarea name="query" spellcheck="false">${escaped(example)}</textarea></label>
    <label>variables, as JSON <input name="variables" autocomplete="off"></label>
    <button>Send</button>
    <label for="answer">answer</label>
    <pre id="answer" aria-live="polite"></pre>
  </form>
  <section>
    <label for="schema">schema</label>
    <pre id="schema" tabindex="0">${escaped(sdl)}</pre>
  </section>
</div>
<script>
  const form = document.querySelector('form');
  const answer = document.querySelector('#answer');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { token, tenant, subaccount, query, variables } = Object.fromEntries(new FormData(form));
    answer.textContent = '…';
    try {
      const body = JSON.stringify({ query, variables: variables ? JSON.parse(variables) : {} });
      const headers = { 'content-type': 'application/json', tenant, 'sub-account': subaccount };
      if (token) headers.authorization = 'Bearer ' + token;
      const response = await fetch(${JSON.stringify(path)}, { method: 'POST', headers, body });
      answer.textContent = response.status + '\\n' + JSON.stringify(await response.json(), null, 2);
    } catch (error) {
      answer.textContent = String(error);
    }
  });
</script>
`;
