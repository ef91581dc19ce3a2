/** What a reader has to know before they go on: a callout, an empty place with its next step, a page that is loading. */
import type { Child } from 'hono/jsx';
import { Icon, type IconName } from './icon.tsx';
import { useSpeech } from './speech.tsx';

type Tone = 'info' | 'good' | 'warn' | 'bad';

const icons: Readonly<Record<Tone, IconName>> = {
  info: 'info',
  good: 'circle-check',
  warn: 'triangle-alert',
  bad: 'circle-alert',
};

interface CalloutProps {
  readonly tone?: Tone;
  readonly title?: string;
  /** What to do about it, at the end of the line. */
  readonly action?: Child;
  readonly children?: Child;
}

export function Callout({ tone = 'info', title, action, children }: CalloutProps) {
  return (
    <div class={`callout ${tone}`}>
      <Icon name={icons[tone]} />
      <div>
        {title === undefined ? null : <p class="strong">{title}</p>}
        {children}
      </div>
      {action === undefined ? null : <div class="callout-action">{action}</div>}
    </div>
  );
}

interface EmptyProps {
  readonly icon?: IconName;
  readonly title: string;
  /** The next step in words. */
  readonly children?: Child;
  readonly action?: Child;
}

/** Where a list has nothing yet: why, and the next step. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      {icon === undefined ? null : <Icon name={icon} size={20} />}
      <p class="strong">{title}</p>
      {children === undefined ? null : <div class="quiet">{children}</div>}
      {action === undefined ? null : <p class="row">{action}</p>}
    </div>
  );
}

interface AttentionProps {
  readonly items: readonly {
    readonly tone: Tone;
    readonly title: string;
    readonly detail: Child;
    readonly href: string;
    readonly action: string;
  }[];
}

/** Things to look at, each with its consequence and the way to it. */
export function Attention({ items }: AttentionProps) {
  return (
    <ul class="attention">
      {items.map(({ tone, title, detail, href, action }) => (
        <li class={tone}>
          <Icon name={icons[tone]} />
          <div>
            <p class="strong">{title}</p>
            <p class="quiet small">{detail}</p>
          </div>
          <a class="link small" href={href}>
            {action}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Grey lines where something is on its way; the last is shorter. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  const { loading } = useSpeech().common;
  return (
    <div class="skeleton" role="status">
      <span class="hidden">{loading}</span>
      {Array.from({ length: lines }, () => (
        <span aria-hidden="true" />
      ))}
    </div>
  );
}

interface ProgressProps {
  /** From 0 to 1; more is drawn full. */
  readonly share: number;
  /** What it shows, with the figure: for who does not see it. */
  readonly label: string;
  readonly mood?: 'usual' | 'warn' | 'bad';
}

/** How much of an amount is used. */
export function Progress({ share, label, mood = 'usual' }: ProgressProps) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;
  return (
    <svg class={`progress ${mood}`} width="100%" height="4" role="img" aria-label={label}>
      <rect class="track" width="100%" height="4" rx="2" />
      <rect class="bar" width={`${percent}%`} height="4" rx="2" />
    </svg>
  );
}

interface FactsProps {
  readonly items: readonly { readonly name: string; readonly value: Child }[];
}

/** Names and values of one thing, beside each other where there is room. */
export function Facts({ items }: FactsProps) {
  return (
    <dl class="facts">
      {items.map(({ name, value }) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
