import { Page } from '../../part/page.tsx';
import { Link } from '../../route/link.tsx';
import { accountsWords } from '../../word/accounts.ts';
import { agentsWords } from '../../word/agents.ts';
import { Activity } from './activity.tsx';
import { Connections } from './connections.tsx';
import { Keys } from './keys.tsx';
import { Switch } from './switch.tsx';

/** `/agents`: what agents may do, which are connected, with which keys, and what they do. */
export const Agents = () => (
  <Page
    title={agentsWords().title}
    actions={
      <>
        <Link to="/agents/accounts">{accountsWords().title}</Link>
        <Link to="/agents/connect">{agentsWords().connect}</Link>
      </>
    }
  >
    <Switch />
    <Connections />
    <Keys />
    <Activity />
  </Page>
);
