import { computed, signal } from '@preact/signals';

/** Where the browser is. Everything that a page shows follows from it, so that everything can be linked to. */
export const place = signal(new URL(location.href));

export const path = computed(() => place.value.pathname);
export const search = computed(() => place.value.searchParams);

addEventListener('popstate', () => {
  place.value = new URL(location.href);
});

export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  const target = new URL(to, location.href);
  if (target.href === location.href) return;
  if (how === 'push') history.pushState(null, '', target);
  else history.replaceState(null, '', target);
  place.value = target;
}

/** The same page with other words behind the question mark; undefined and '' leave one out. */
export function withSearch(changes: Readonly<Record<string, string | undefined>>): string {
  const target = new URL(place.value);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') target.searchParams.delete(name);
    else target.searchParams.set(name, value);
  return target.pathname + target.search;
}

/** Links within the console do not load it again. Whatever else the user does with them, the browser does. */
document.addEventListener('click', (event) => {
  const isPlain =
    event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!isPlain || event.defaultPrevented || !link || link.target || link.hasAttribute('download'))
    return;
  // A place on the same page is the browser's, too: it moves the focus there.
  if (link.origin !== location.origin || !link.pathname.startsWith('/ui/') || link.hash !== '')
    return;
  event.preventDefault();
  navigate(link.href);
});

/** `/ui/runtimes/:id` matched against the path: its parameters, or nothing. */
export function matched(
  pattern: string,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/\/$/, '').split('/');
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) parameters[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return parameters;
}
