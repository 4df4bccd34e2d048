import type { App } from '../../../src/kernel/app/app.ts';
import { otherNode } from '../world/other-node.ts';

/**
 * The same platform, in which `change` lands after a confirmation is committed and before its command is sent; or, at
 * the crash point `before-next-step`, between the claim of a later write and its command.
 */
export function beforeDispatch(
  app: App,
  change: () => Promise<unknown>,
  at: 'after-confirm' | 'before-next-step' = 'after-confirm',
): App {
  const { db } = app;
  let isCommitted = false;
  // The next transaction after the crash point is the one that marks the command SENT.
  const pool = db.queries.getExecutor();
  const executor = pool.withConnectionProvider({
    async provideConnection(consumer) {
      if (isCommitted) {
        isCommitted = false;
        await change();
      }
      return pool.provideConnection(consumer);
    },
  });
  const queries: App['db']['queries'] = new Proxy(db.queries, {
    get: (target, name) =>
      name === 'getExecutor' ? () => executor : Reflect.get(target, name, target),
  });
  return otherNode(app, {
    db: { ...db, queries },
    crashAt(point) {
      if (point === at) isCommitted = true;
    },
  });
}
