// A line of short texts parted by dots, such as keys and what they do: it breaks between them only.
import { Fragment } from 'preact';

export const Pieces = ({ text }: { text: string }) => <>{text.split(/(?<=・|· )/).map((p) => <Fragment key={p}><span class="nowrap">{p.trimEnd()}</span>{p.endsWith(' ') ? ' ' : <wbr />}</Fragment>)}</>;
