import type { App } from './app.ts';

/** State of one App (caches, counters): created at first use, never shared between Apps. */
export function perApp<T>(make: (app: App) => T): (app: App) => T {
  const made = new WeakMap<App, T>();
  return (app) => {
    const known = made.get(app);
    if (known !== undefined) return known;
    const fresh = make(app);
    made.set(app, fresh);
    return fresh;
  };
}
