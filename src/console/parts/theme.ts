import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const key = 'console.theme';
const kept = localStorage.getItem(key);

/** As the system is set, unless the user wants it otherwise. */
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system');

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
  localStorage.setItem(key, theme.value);
});

export const nextTheme = (): Theme =>
  (({ system: 'light', light: 'dark', dark: 'system' }) as const)[theme.value];
