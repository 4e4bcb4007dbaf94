import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type PageProps = {
  readonly title: string;
  /** Above the title: where this page belongs. */
  readonly above?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A page has a title that gets the focus when people come from another one, so that screen readers say where they are. */
export function Page({ title, above, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = `${title} · Kyma control plane`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          {above !== undefined && <div class="above">{above}</div>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** Names and values, side by side. */
export const Facts = ({
  of,
}: {
  readonly of: readonly (readonly [string, ComponentChildren])[];
}) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value === undefined || value === '' ? <span class="muted">–</span> : value}</dd>
      </div>
    ))}
  </dl>
);
