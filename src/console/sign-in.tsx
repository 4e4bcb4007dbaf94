import { useEffect, useState } from 'preact/hooks';
import type { ConsoleConfig, DemoUser } from './api-types.ts';
import { Problem } from './parts/notices.tsx';
import { place } from './routing/route.ts';
import { beginSignIn } from './session/tokens.ts';

/** One click: to the issuer, or in a demo straight to being somebody. */
export function SignIn({ config }: { readonly config: ConsoleConfig }) {
  const [users, setUsers] = useState<readonly DemoUser[]>([]);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    document.title = 'Sign in · Kyma control plane';
    if (!config.demo) return;
    fetch(`${config.landscapeUrl}/issuer/_users`)
      .then((response) => response.json() as Promise<DemoUser[]>) // src/landscape/issuer
      .then(setUsers)
      .catch(setError);
  }, []);
  const here = place.value.pathname + place.value.search;
  const returnTo = here.startsWith('/ui/') ? here : '/ui/';
  const signIn = (user?: string) => {
    beginSignIn(returnTo, user).catch(setError);
  };
  return (
    <section class="sign-in">
      <h1>Kyma control plane</h1>
      <p>See what every runtime is doing, and what it waits for.</p>
      {error && <Problem error={error} />}
      {config.demo ? (
        <>
          <p>This is a demo: choose who you are.</p>
          <ul>
            {users.map(({ name, fullName, groups, scopes }) => (
              <li key={name}>
                <button type="button" class="wide" onClick={() => signIn(name)}>
                  <strong>{fullName}</strong>
                  <span>{[...groups, ...scopes].join(', ') || 'may do nothing'}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <button type="button" class="primary" onClick={() => signIn()}>
          Sign in
        </button>
      )}
    </section>
  );
}
