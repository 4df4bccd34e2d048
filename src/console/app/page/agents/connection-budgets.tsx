import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Table } from '../../part/control/table.tsx';
import { Section } from '../../part/page.tsx';
import { Ago } from '../../part/value/time.tsx';
import { connectionWords } from '../../word/connection.ts';

type Usage = Schemas['McpConnectionUsage'];

const EVERY_MS = 5_000;

/** What the connection used in the last hour of what it may use, and its own limits. */
export function Budgets({ connectionId }: { connectionId: string }) {
  const w = connectionWords().budgets;
  const asked = useAsk('GET /auth/mcp/connection/usage', { id: connectionId });
  useEvery(EVERY_MS, asked.again);
  return (
    <Section
      title={w.title}
      actions={
        may('svc-center-auth:mcp:update') &&
        asked.data && (
          <Opener word={w.change} closed={asked.again}>
            {(close) =>
              asked.data && (
                <Change connectionId={connectionId} usage={asked.data} onClose={close} />
              )
            }
          </Opener>
        )
      }
    >
      <Loaded asked={asked} rows={4}>
        {(usage) => (
          <Table
            columns={[[w.what], [w.used, 'number'], [w.limit, 'number'], [w.ofAccount, 'number']]}
          >
            {usage.map(({ budget, connection, principal }) => (
              <tr key={budget}>
                <th scope="row">{w.of[budget]}</th>
                <td class="number tabular">
                  {connection.used.toLocaleString()}
                  {connection.freeAt !== null && (
                    <small class="danger">
                      {' '}
                      {w.free} <Ago at={connection.freeAt} />
                    </small>
                  )}
                </td>
                <td class="number tabular">{connection.limit?.toLocaleString() ?? w.noLimit}</td>
                <td class="number tabular">
                  {principal.used.toLocaleString()} /{' '}
                  {principal.limit?.toLocaleString() ?? w.noLimit}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
    </Section>
  );
}

type Given = { connectionId: string; usage: readonly Usage[]; onClose(): void };

/** Limits of this connection; an empty one is none, up to that of the account. */
function Change({ connectionId, usage, onClose }: Given) {
  const w = connectionWords().budgets;
  const form = useForm('POST /auth/mcp/connection/budgets/replace', {
    fields: Object.fromEntries(
      usage.map(({ budget, connection }) => [budget, String(connection.limit ?? '')]),
    ),
    input: (limits) => ({
      connectionId,
      budgets: Object.fromEntries(
        Object.entries(limits).map(([budget, limit]) => [
          budget,
          limit === '' ? null : Number(limit),
        ]),
      ),
    }),
    done: onClose,
  });
  return (
    <FormDialog title={w.change} {...form.sends} onClose={onClose}>
      <p class="quiet">{w.hint}</p>
      {usage.map(({ budget }) => (
        <TextField
          key={budget}
          label={w.of[budget]}
          {...form.of(budget, `budgets.${budget}`)}
          value={form.values[budget] ?? ''}
        />
      ))}
    </FormDialog>
  );
}
