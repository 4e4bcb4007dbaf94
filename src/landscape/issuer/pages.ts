import type { FastifyReply } from 'fastify';
import { users } from './demo-accounts.ts';

/** A demo has no passwords to type: who you are is a button. */
export function sendUserChoice(
  reply: FastifyReply,
  title: string,
  fields: Iterable<readonly [name: string, value: string]>,
  visibleField?: string,
): FastifyReply {
  const inputs = [...fields].map(
    ([name, value]) =>
      `<input ${name === visibleField ? 'required' : 'type="hidden"'} name="${escaped(name)}" value="${escaped(value)}" aria-label="${escaped(name)}">`,
  );
  const buttons = users.map(
    ({ name, fullName, groups }) =>
      `<button name="username" value="${escaped(name)}"><b>${escaped(fullName)}</b><br>${escaped(groups.join(', ') || 'in no group')}</button>`,
  );
  const cancel = '<button name="username" value="" formnovalidate>Cancel</button>';
  return sendPage(
    reply,
    title,
    `<form method="post" action="?">${[...inputs, ...buttons, cancel].join('\n')}</form>`,
  );
}

export function sendMessage(reply: FastifyReply, title: string, text: string): FastifyReply {
  return sendPage(reply, title, `<p>${escaped(text)}</p>`);
}

function sendPage(reply: FastifyReply, title: string, body: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    )
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>:root{color-scheme:light dark;font:1rem system-ui}body{max-width:24rem;margin:10vh auto;padding:1rem}button,input{box-sizing:border-box;width:100%;margin:.3rem 0;padding:.7rem;font:inherit;text-align:start}</style>
<h1>${escaped(title)}</h1>
${body}
</html>`,
    );
}

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
