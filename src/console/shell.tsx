import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ConsoleConfig, Me } from './api-types.ts';
import { liveness } from './api/follow.ts';
import { get } from './api/request.ts';
import { Empty, Problem, Skeleton } from './parts/notices.tsx';
import { Page } from './parts/page.tsx';
import { nextTheme, theme } from './parts/theme.ts';
import { pages } from './pages.tsx';
import { matched, navigate, path, place } from './routing/route.ts';
import { consoleConfig } from './session/config.ts';
import { can, me, type Ability } from './session/rights.ts';
import { finishSignIn, hasSession, signOut } from './session/tokens.ts';
import { SignIn } from './sign-in.tsx';

/** What is around every page: who is there, where one can go, and whether the page is live. */
export function Shell() {
  const [config, setConfig] = useState<ConsoleConfig>();
  const [error, setError] = useState<Error>();
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => {
    begin().then(setConfig).catch(setError);
  }, []);
  useEffect(() => setMenuOpen(false), [path.value]);

  if (!config && !error) return <main class="alone">{<Skeleton rows={3} />}</main>;
  const isSignInNeeded = config?.issuer !== undefined && !me.value;
  if (error || !config || isSignInNeeded)
    return (
      <main class="alone">
        {error && <Problem error={error} />}
        {config && <SignIn config={config} />}
      </main>
    );
  return (
    <>
      <a class="to-content" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <a class="brand" href="/ui/">
          <Mark /> Kyma control plane
        </a>
        <Live />
        <button
          type="button"
          class="menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          Menu
        </button>
      </header>
      <div class="frame">
        <nav id="menu" class={isMenuOpen ? 'open' : ''} aria-label="Pages">
          {pages
            .filter(({ menu, needs }) => menu !== undefined && isShown(needs, config))
            .map(({ menu, path: target }) => (
              <a
                key={target}
                href={target}
                aria-current={path.value.startsWith(target) ? 'page' : undefined}
              >
                {menu}
              </a>
            ))}
          <Settings config={config} />
        </nav>
        <main id="main" tabIndex={-1}>
          <CurrentPage config={config} />
        </main>
      </div>
    </>
  );
}

/** Who is there, before anything is shown. */
async function begin(): Promise<ConsoleConfig> {
  const config = await consoleConfig();
  if (location.pathname === '/callback')
    navigate(await finishSignIn(place.value.searchParams), 'replace');
  if (config.issuer === undefined || hasSession())
    try {
      me.value = await get<Me>('/me');
    } catch (error) {
      if (hasSession() || config.issuer === undefined) throw error;
    }
  return config;
}

const isShown = (needs: Ability | 'landscape' | undefined, config: ConsoleConfig) =>
  needs === undefined ? true : needs === 'landscape' ? config.demo : can(needs);

function CurrentPage({ config }: { readonly config: ConsoleConfig }): ComponentChild {
  const here = path.value.replace(/\/$/, '');
  if (here === '/ui') {
    const first = pages.find(({ menu, needs }) => menu !== undefined && isShown(needs, config));
    if (first) queueMicrotask(() => navigate(first.path, 'replace'));
    else return <NothingToSee />;
    return <Skeleton />;
  }
  for (const page of pages) {
    const parameters = matched(page.path, here);
    if (!parameters) continue;
    if (!isShown(page.needs, config)) return <NothingToSee />;
    const Content = page.content;
    // Another address of the same kind is another page: it begins with a fresh state.
    return <Content key={here} parameters={parameters} config={config} />;
  }
  return (
    <Page title="No such page">
      <Empty title="There is nothing at this address">
        <a href="/ui/">Go to the first page</a>
      </Empty>
    </Page>
  );
}

const NothingToSee = () => (
  <Page title="No access">
    <Empty title="Your account may not see this page">
      Somebody who administers the groups of the control plane can change that. You are signed in as{' '}
      {me.value?.subject ?? 'nobody'}, in {me.value?.groups.join(', ') || 'no group'}.
    </Empty>
  </Page>
);

function Settings({ config }: { readonly config: ConsoleConfig }) {
  return (
    <div class="settings">
      <button type="button" class="quiet" onClick={() => (theme.value = nextTheme())}>
        Colours: {theme.value}
      </button>
      {config.issuer !== undefined && (
        <>
          <div class="who" title={me.value?.groups.join(', ')}>
            {me.value?.subject}
          </div>
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </>
      )}
    </div>
  );
}

const words = { off: '', live: 'live', reconnecting: 'reconnecting …' };
const Live = () => (
  <span class={`liveness ${liveness.value}`} role="status">
    {words[liveness.value]}
  </span>
);

const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" />
    <path d="M7 10h11M7 16h18M7 22h8" />
  </svg>
);
