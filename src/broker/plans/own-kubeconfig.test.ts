import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { Secret } from '#database';
import { decodeKubeconfig } from './own-kubeconfig.ts';
import { base64, kubeconfigText, token } from './testing.ts';

test('a kubeconfig in Base64 is decoded, with or without line breaks, and stays secret', () => {
  const text = kubeconfigText();
  const encoded = base64(text);
  for (const each of [encoded, encoded.replace(/.{76}/g, '$&\r\n')]) {
    const decoded = decodeKubeconfig(new Secret(each));
    assert.equal(decoded.reveal(), text);
    assert.doesNotMatch(inspect(decoded), new RegExp(token));
  }
});

const broken = (replace: string, by: string) => base64(kubeconfigText().replace(replace, by));
const refused: readonly (readonly [what: string, encoded: string, message: RegExp])[] = [
  ['plain text', kubeconfigText(), /^while decoding kubeconfig: it must be Base64$/],
  ['something that is not YAML', base64(`{"${token}`), /^while validating kubeconfig: the content/],
  ['no object', base64(token), /^while validating kubeconfig: the content is missing or cannot be/],
  ['no current context', broken('"current-context"', '"other"'), /current-context is missing/],
  [
    'a context that is not there',
    broken('"current-context":"mine"', '"current-context":"x"'),
    /current-context must be the name/,
  ],
  [
    'a cluster that is not there',
    broken('"cluster":"mine"', '"cluster":"x"'),
    /cluster of the current context/,
  ],
  ['a user who is not there', broken('"user":"me"', '"user":"x"'), /user of the current context/],
  ['no address', broken('https://api.example.test', 'api'), /must be an https URL/],
  ['an address in the clear', broken('https://api', 'http://api'), /must be an https URL/],
  [
    'a command to run',
    base64(kubeconfigText({ user: { exec: { command: 'sh' } } })),
    /users\.0\.user\.exec/,
  ],
  [
    'a plugin',
    base64(kubeconfigText({ user: { 'auth-provider': { name: 'oidc' } } })),
    /auth-provider/,
  ],
  [
    'a file with a token',
    base64(kubeconfigText({ user: { tokenFile: '/etc/passwd' } })),
    /tokenFile/,
  ],
  ['a file with a key', base64(kubeconfigText({ user: { 'client-key': '/key' } })), /client-key/],
  [
    'a file with an authority',
    base64(kubeconfigText({ cluster: { 'certificate-authority': '/ca' } })),
    /certificate-authority/,
  ],
  [
    'somebody in between',
    base64(kubeconfigText({ cluster: { 'proxy-url': 'http://me' } })),
    /proxy-url/,
  ],
];
for (const [what, encoded, message] of refused) {
  test(`a kubeconfig with ${what} is refused, and not quoted`, () => {
    assert.throws(
      () => decodeKubeconfig(new Secret(encoded)),
      (error) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, message);
        assert.doesNotMatch(inspect(error, { depth: Infinity }), new RegExp(token));
        return true;
      },
    );
  });
}
