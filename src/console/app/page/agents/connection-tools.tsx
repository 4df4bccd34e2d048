import { useEffect, useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Check } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { RefusedNote } from '../../part/control/refused.tsx';
import { Section } from '../../part/page.tsx';
import { connectionWords } from '../../word/connection.ts';

const MOST = 200;

/** The tools that the connection may call. */
export function Tools({ connectionId }: { connectionId: string }) {
  const w = connectionWords().tools;
  const mayChange = may('svc-center-auth:mcp:update');
  const tools = useAsk('POST /auth/mcp/tool/list', { limit: MOST });
  const allowed = useAsk('GET /auth/mcp/connection/tools/list', { id: connectionId });
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const [isSaved, setSaved] = useState(true);
  const replace = useAct('POST /auth/mcp/connection/tools/replace');
  const now = chosen ?? new Set(allowed.data ?? []);
  const turn = (toolId: string, isOn: boolean): void => {
    const next = new Set(now);
    if (isOn) next.add(toolId);
    else next.delete(toolId);
    setChosen(next);
    setSaved(false);
  };
  const save = async (): Promise<void> => {
    if (!(await replace.run({ connectionId, toolIds: [...now] }))) return;
    setSaved(true);
    allowed.again();
  };
  // What was saved is shown until the server says the same.
  useEffect(() => {
    if (isSaved) setChosen(null);
  }, [allowed.data]);
  const undo = (): void => {
    setChosen(null);
    setSaved(true);
  };
  return (
    <Section
      title={w.title}
      actions={
        mayChange &&
        !isSaved && (
          <>
            <Button onPress={undo}>{w.undo}</Button>
            <Button kind="primary" isBusy={replace.isRunning} onPress={() => void save()}>
              {w.save}
            </Button>
          </>
        )
      }
    >
      <RefusedNote failure={replace.failure} />
      <Loaded asked={allowed} rows={6}>
        {() => (
          <Loaded asked={tools} rows={6}>
            {(list) =>
              list.length === 0 ? (
                <Empty title={w.none} />
              ) : mayChange ? (
                <div class="fields">
                  {list.map(({ toolId, toolTitle, riskLevel }) => (
                    <Check
                      key={toolId}
                      label={toolTitle || toolId}
                      hint={w.risk[riskLevel]}
                      value={now.has(toolId)}
                      onChange={(isOn) => turn(toolId, isOn)}
                    />
                  ))}
                </div>
              ) : (
                <ul>
                  {list
                    .filter(({ toolId }) => now.has(toolId))
                    .map(({ toolId, toolTitle }) => (
                      <li key={toolId}>
                        <bdi>{toolTitle || toolId}</bdi>
                      </li>
                    ))}
                </ul>
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}
