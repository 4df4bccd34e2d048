import type { App } from '../../../src/app.ts';
import { otherNode } from '../world/other-node.ts';

/** The same platform, in which `change` lands after a confirmation is committed and before its command is sent. */
export function beforeDispatch(app: App, change: () => Promise<unknown>): App {
  const { db } = app;
  let isCommitted = false;
  // The next transaction after the crash point is the one that marks the command SENT.
  const queries: App['db']['queries'] = new Proxy(db.queries, {
    get(target, name) {
      if (name !== 'connection') return Reflect.get(target, name, target);
      return () => ({
        async execute<T>(work: (q: App['db']['queries']) => Promise<T>): Promise<T> {
          if (isCommitted) {
            isCommitted = false;
            await change();
          }
          return db.queries.connection().execute(work);
        },
      });
    },
  });
  return otherNode(app, {
    db: { ...db, queries },
    crashAt(point) {
      if (point === 'after-confirm') isCommitted = true;
    },
  });
}
