/** The sandbox between host and view, of an origin of its own: holds the view, and passes messages on. */
const inner = document.createElement('iframe');
document.body.style.margin = '0';
inner.style.cssText = 'display:block;border:0;width:100%;height:100vh';
document.body.append(inner);

const OWN = 'ui/notifications/sandbox-';
type Message = { method?: unknown; params?: { html?: string; sandbox?: string } };

addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
  const isOwn = typeof data.method === 'string' && data.method.startsWith(OWN);
  if (source === inner.contentWindow) {
    if (!isOwn) parent.postMessage(data, '*');
  } else if (isOwn) {
    inner.setAttribute('sandbox', data.params?.sandbox ?? 'allow-scripts');
    inner.srcdoc = data.params?.html ?? '';
  } else inner.contentWindow?.postMessage(data, '*');
});
parent.postMessage({ jsonrpc: '2.0', method: `${OWN}proxy-ready`, params: {} }, '*');
