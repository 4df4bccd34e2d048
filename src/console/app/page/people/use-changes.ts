import { useState } from 'preact/hooks';

import { useAct } from '../../client/ask.ts';
import type { Failure } from '../../client/failure.ts';

export type Changes = {
  /** Whether the role holds the right, or will when it is saved. */
  has(resourceId: string): boolean;
  turn(resourceId: string, isOn: boolean): void;
  undo(): void;
  /** Saves them one after the other until one is refused; answers how many are saved. */
  save(): Promise<number>;
  adds: number;
  removes: number;
  isSaving: boolean;
  failure: Failure | null;
};

/** What is to be changed of the rights that a role holds. */
export function useChanges(roleId: string, held: ReadonlySet<string>): Changes {
  const [wanted, setWanted] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [isSaving, setSaving] = useState(false);
  const bind = useAct('POST /auth/role_resource/add');
  const find = useAct('POST /auth/role_resource/list');
  const unbind = useAct('POST /auth/role_resource/delete');
  const changed = [...wanted].filter(([id, isOn]) => held.has(id) !== isOn);
  const adds = changed.filter(([, isOn]) => isOn).length;
  async function take(resourceId: string): Promise<boolean> {
    const found = await find.run({ roleId, resourceId, page: { current: 1, size: 1 } });
    const [bound] = found?.records ?? [];
    // Another person may have taken it away already.
    return found !== null && (!bound || (await unbind.run({ id: bound.id })) !== null);
  }
  return {
    has: (id) => wanted.get(id) ?? held.has(id),
    turn: (id, isOn) => setWanted(new Map([...wanted, [id, isOn]])),
    undo() {
      setWanted(new Map());
      for (const act of [bind, find, unbind]) act.forgive();
    },
    async save() {
      setSaving(true);
      let done = 0;
      for (const [resourceId, isOn] of changed) {
        const isDone = isOn
          ? (await bind.run({ roleId, resourceId })) !== null
          : await take(resourceId);
        if (!isDone) break;
        done += 1;
      }
      setSaving(false);
      return done;
    },
    adds,
    removes: changed.length - adds,
    isSaving,
    failure: bind.failure ?? find.failure ?? unbind.failure,
  };
}
