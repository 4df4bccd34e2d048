import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List } from '../../part/control/list.tsx';
import { Empty, RefusedNote } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Page, Section } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Disabled } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { accountsWords } from '../../word/accounts.ts';
import { scopeOf } from './keys.tsx';

type Account = Schemas['ServiceAccount'];

const MOST = 100;

/** `/agents/accounts`: accounts that programs act as, and the clients that may log in for them. */
export const Accounts = () => (
  <Page title={accountsWords().title} actions={<Link to="/agents">{titleOf('/agents')}</Link>}>
    <ServiceAccounts />
    <Clients />
  </Page>
);

function ServiceAccounts() {
  const w = accountsWords().accounts;
  const maySee = may('svc-center-auth:service_account:list');
  const asked = useAsk(
    'POST /auth/service_account/list',
    maySee ? { page: { current: 1, size: MOST } } : null,
  );
  if (!maySee) return null;
  return (
    <Section
      title={w.title}
      actions={
        may('svc-center-auth:service_account:add') && (
          <Opener word={w.add} closed={asked.again}>
            {(close) => <NewAccount onClose={close} />}
          </Opener>
        )
      }
    >
      <List asked={asked} rows={3} none={<Empty title={w.none}>{w.next}</Empty>}>
        {(account) => <Row key={account.id} account={account} again={asked.again} />}
      </List>
    </Section>
  );
}

function Row({ account, again }: { account: Account; again(): void }) {
  const w = accountsWords().accounts;
  const enable = useAct('POST /auth/service_account/enable', again);
  const disable = useAct('POST /auth/service_account/disable', again);
  const remove = useAct('POST /auth/service_account/delete');
  const { id } = account;
  const isOn = account.enableFlag === 'ENABLE';
  return (
    <li>
      <div class="row">
        <bdi class="strong">{account.serviceAccountName}</bdi>
        <Disabled of={account} />
        <span class="quiet">
          {w.used} <Ago at={account.lastUsedTime} />
        </span>
        {account.expireTime !== null && (
          <span class="quiet">
            {w.ends} <Ago at={account.expireTime} />
          </span>
        )}
        <div class="actions">
          {may('svc-center-auth:service_account:update') && (
            <Button
              isBusy={enable.isRunning || disable.isRunning}
              onPress={() => void (isOn ? disable : enable).run({ id })}
            >
              {isOn ? w.disable : w.enable}
            </Button>
          )}
          {may('svc-center-auth:service_account:delete') && (
            <AskButton
              title={w.question(account.serviceAccountName)}
              act={remove}
              run={() => remove.run({ id })}
              done={again}
            >
              <p>{w.means}</p>
            </AskButton>
          )}
        </div>
      </div>
      {account.purpose !== '' && (
        <p class="quiet">
          <bdi>{account.purpose}</bdi>
        </p>
      )}
      <RefusedNote failure={enable.failure ?? disable.failure} />
    </li>
  );
}

/** Adds an account for a program, with what it is for and its role. */
function NewAccount({ onClose }: { onClose(): void }) {
  const w = accountsWords().accounts;
  const roles = useAsk(
    'POST /auth/role/list',
    may('svc-center-auth:role:list') ? { page: { current: 1, size: MOST } } : null,
  );
  const form = useForm('POST /auth/service_account/add', {
    fields: { serviceAccountName: '', purpose: '', roleCode: '' },
    input: ({ roleCode, ...given }) => ({ ...given, ...(roleCode !== '' && { roleCode }) }),
    done: onClose,
  });
  return (
    <FormDialog title={w.add} go={w.add} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('serviceAccountName')} />
      <TextField label={w.purpose} {...form.of('purpose')} />
      {roles.data && (
        <Choice
          label={w.role}
          hint={w.roleHint}
          {...form.of('roleCode')}
          options={[
            ['', w.ownRole],
            ...roles.data.records.map((role) => [role.roleCode, role.roleName] as const),
          ]}
        />
      )}
    </FormDialog>
  );
}

type Client = Schemas['OauthClient'];

/** The OAuth clients of the tenant: what each may ask for. */
function Clients() {
  const w = accountsWords().clients;
  const maySee = may('svc-center-auth:mcp:list');
  const asked = useAsk('POST /auth/mcp/client/list', maySee ? {} : null);
  if (!maySee) return null;
  return (
    <Section title={w.title}>
      <List asked={asked} none={<Empty title={w.none}>{w.next}</Empty>}>
        {(client) => <ClientRow key={client.id} client={client} again={asked.again} />}
      </List>
    </Section>
  );
}

function ClientRow({ client, again }: { client: Client; again(): void }) {
  const w = accountsWords().clients;
  const remove = useAct('POST /auth/mcp/client/delete');
  const scopes = client.scopes.split(' ').filter((scope) => scope !== '');
  return (
    <li>
      <div class="row">
        <bdi class="strong">{client.clientName || client.clientId}</bdi>
        <span class="quiet">{w.type[client.clientType]}</span>
        <Disabled of={client} />
        {may('svc-center-auth:mcp:delete') && (
          <div class="actions">
            <AskButton
              title={w.question(client.clientName || client.clientId)}
              act={remove}
              run={() => remove.run({ id: client.id })}
              done={again}
            >
              <p>{w.means}</p>
            </AskButton>
          </div>
        )}
      </div>
      <p class="quiet">{scopes.map(scopeOf).join(' · ')}</p>
    </li>
  );
}
