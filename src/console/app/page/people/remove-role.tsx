import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { AskFirst } from '../../part/control/ask-first.tsx';
import { navigate } from '../../route/route.ts';
import { rolesWords } from '../../word/roles.ts';

type Given = { role: Schemas['Role']; onClose(): void };

/** Deletes a role and goes back to the others. */
export function Remove({ role, onClose }: Given) {
  const w = rolesWords();
  const remove = useAct('POST /auth/role/delete');
  const go = async (): Promise<void> => {
    if ((await remove.run({ id: role.id })) === null) return;
    announce(w.deleted(role.roleName));
    navigate('/settings/roles', { replace: true });
  };
  return (
    <AskFirst
      title={w.question(role.roleName)}
      go={w.delete}
      isRunning={remove.isRunning}
      failure={remove.failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <p>{w.means}</p>
    </AskFirst>
  );
}
