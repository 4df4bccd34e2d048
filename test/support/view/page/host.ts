import type { CallToolResult } from '@modelcontextprotocol/client';
import {
  AppBridge,
  type McpUiHostContext,
  PostMessageTransport,
} from '@modelcontextprotocol/ext-apps/app-bridge';

/** A host of MCP Apps: the extension's own host side around one view in its sandbox. */
type Shown = {
  html: string;
  context: McpUiHostContext;
  input: Record<string, unknown>;
  /** Whether it calls tools and opens links for its view. */
  helps: boolean;
};

declare global {
  /** Given by the test. */
  function svcCall(name: string, input: Record<string, unknown>): Promise<CallToolResult>;
  function svcOpen(url: string): Promise<boolean>;
}

let bridge: AppBridge;
const frame = document.createElement('iframe');

const svcHost = {
  async show({ html, context, input, helps }: Shown): Promise<void> {
    frame.style.cssText = 'display:block;border:0;width:100%';
    document.body.append(frame);
    bridge = new AppBridge(
      null,
      { name: 'test-host', version: '1' },
      helps ? { serverTools: {}, openLinks: {} } : {},
      { hostContext: context },
    );
    bridge.oncalltool = ({ name, arguments: given = {} }) => svcCall(name, given);
    bridge.onopenlink = async ({ url }) => ((await svcOpen(url)) ? {} : { isError: true });
    bridge.onsizechange = ({ height }) => {
      if (height !== undefined) frame.style.height = `${height}px`;
    };
    const ready = new Promise<void>((resolve) => {
      bridge.onsandboxready = () => resolve();
    });
    const initialized = new Promise<void>((resolve) => {
      bridge.oninitialized = () => resolve();
    });
    const { contentWindow } = frame;
    if (!contentWindow) throw new Error('the sandbox has no window');
    await bridge.connect(new PostMessageTransport(contentWindow, contentWindow));
    frame.src = `${location.origin.replace('127.0.0.1', 'localhost')}/sandbox`;
    await ready;
    await bridge.sendSandboxResourceReady({ html, sandbox: 'allow-scripts' });
    await initialized;
    await bridge.sendToolInput({ arguments: input });
  },
  answer: (result: CallToolResult) => bridge.sendToolResult(result),
  cancel: () => bridge.sendToolCancelled({}),
  change: (context: McpUiHostContext) => bridge.setHostContext(context),
  end: () => bridge.teardownResource({}),
};

Object.assign(globalThis, { svcHost });
