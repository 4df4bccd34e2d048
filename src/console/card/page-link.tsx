import { type ComponentChildren, type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';

type Given = { to: string; children: ComponentChildren };

/** How a name leads to its page of the console; in a view, which has no pages, it is the name alone. */
export const Linking = createContext<ComponentType<Given>>(({ children }) => <>{children}</>);

export function PageLink(given: Given) {
  const Chosen = useContext(Linking);
  return <Chosen {...given} />;
}
