/** Runs in the browser beside the pages, also while none is open: displays what the platform pushes (Push API). */
type Scope = {
  registration: ServiceWorkerRegistration;
  clients: { openWindow(url: string): Promise<unknown> };
};
type Waiting = { waitUntil(work: Promise<unknown>): void };
type Pushed = Event & Waiting & { data: { json(): unknown } | null };
type Pressed = Event & Waiting & { notification: Notification };

const isScope = (given: object): given is Scope => 'registration' in given && 'clients' in given;
const isPushed = (event: Event): event is Pushed => 'waitUntil' in event && 'data' in event;
const isPressed = (event: Event): event is Pressed =>
  'waitUntil' in event && 'notification' in event;

const CONSOLE = '/console';

const scope: object = globalThis;
if (isScope(scope)) {
  const { registration, clients } = scope;
  addEventListener('push', (event) => {
    if (isPushed(event)) event.waitUntil(display(registration, messageIn(event)));
  });
  addEventListener('notificationclick', (event) => {
    if (!isPressed(event)) return;
    event.notification.close();
    event.waitUntil(clients.openWindow(`${CONSOLE}${pageIn(event.notification.data)}`));
  });
}

function messageIn({ data }: Pushed): Record<string, unknown> {
  try {
    const message: unknown = data?.json();
    return typeof message === 'object' && message !== null ? { ...message } : {};
  } catch {
    return {};
  }
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given : '');

/** Browsers demand that each message is displayed, also one that says nothing. */
function display(
  registration: ServiceWorkerRegistration,
  { title, text, tag, page }: Record<string, unknown>,
): Promise<void> {
  const options = {
    body: textOf(text),
    tag: textOf(tag),
    // A later message about the same alarm takes the place of the one before, and is heard again.
    renotify: textOf(tag) !== '',
    data: { page },
  };
  return registration.showNotification(textOf(title) || location.host, options);
}

/** A page of the console alone, whatever the message says. */
function pageIn(data: unknown): string {
  const page = typeof data === 'object' && data !== null && 'page' in data ? data.page : '';
  return /^(?:\/[a-z0-9]+)+$/.test(textOf(page)) ? textOf(page) : '';
}
