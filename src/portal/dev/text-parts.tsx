/** Colours, type and icons; states, callouts, empty places and code. */
import { LinkButton } from '../ui/button.tsx';
import { Attention, Callout, Empty, Skeleton } from '../ui/callout.tsx';
import { Code, CodeSamples } from '../ui/code.tsx';
import { Icon, iconNames } from '../ui/icon.tsx';
import { State, Tag } from '../ui/state.tsx';
import { Specimen, Specimens } from './specimen.tsx';

const colours = {
  Neutral: ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10', 'n11'],
  Accent: ['accent', 'accent-solid', 'accent-tint', 'accent-line'],
  State: ['ok', 'ok-tint', 'warn', 'warn-tint', 'bad', 'bad-tint', 'bad-mark'],
  Chart: ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'],
} as const;

export function TextParts() {
  return (
    <>
      <Specimens title="Colour">
        {Object.entries(colours).map(([name, tokens]) => (
          <Specimen name={name}>
            <div class="swatches">
              {tokens.map((token) => (
                <div>
                  <svg width="56" height="32" aria-hidden="true">
                    <rect class={`swatch-${token}`} width="56" height="32" rx="6" />
                  </svg>
                  <code>{token}</code>
                </div>
              ))}
            </div>
          </Specimen>
        ))}
      </Specimens>
      <Specimens title="Type">
        <Specimen name="48">
          <p class="type-48 strong">One gate to every model</p>
        </Specimen>
        <Specimen name="28, figures">
          <p class="type-28 strong number">$1,204.86</p>
        </Specimen>
        <Specimen name="20, titles">
          <p class="type-20 strong">What this key can do</p>
        </Specimen>
        <Specimen name="14, text">
          <div class="prose">
            <p>
              Spend up to <strong>$200.00 a month</strong> from the wallet, on three models, through EU
              regions. <a href="/dev/ui">A link in a text</a> is underlined. <code>sluice_wCdH…Evtl</code> is
              an id.
            </p>
            <ul>
              <li>The first of a list.</li>
              <li>The second.</li>
            </ul>
          </div>
        </Specimen>
        <Specimen name="12, what explains">
          <p class="small quiet">At the budget, requests stop with 402 and the owner is mailed.</p>
        </Specimen>
      </Specimens>
      <Specimens title="States">
        <Specimen name="State">
          <p class="row">
            <State mood="good">200</State>
            <State mood="warn">429 rate limited</State>
            <State mood="bad">502 provider failed</State>
            <State mood="off">Disabled</State>
          </p>
        </Specimen>
        <Specimen name="Tag">
          <p class="row">
            <Tag>2nd</Tag>
            <Tag title="The organisation pays">organisation</Tag>
          </p>
        </Specimen>
        <Specimen name="Callout">
          <div class="form">
            <Callout>The key is shown once, on the next page.</Callout>
            <Callout tone="good" title="Your address is verified">
              <p>Your keys work from now on.</p>
            </Callout>
            <Callout
              tone="warn"
              title="The balance lasts 3 days"
              action={
                <LinkButton href="/dev/ui" size="small">
                  Add funds
                </LinkButton>
              }
            >
              <p>At $12.60 a day it is empty on 25 Nov.</p>
            </Callout>
            <Callout tone="bad">The card was refused: it expired in October.</Callout>
          </div>
        </Specimen>
        <Specimen name="Attention">
          <Attention
            items={[
              {
                tone: 'warn',
                title: 'support-bot has used 92% of its budget',
                detail:
                  '$184.10 of $200.00 this month. At this rate it stops on 24 Nov at 09:00 UTC, with 402.',
                href: '/dev/ui',
                action: 'Raise budget',
              },
              {
                tone: 'bad',
                title: 'Together fails 6.1% of qwen3-235b requests',
                detail: 'Since 13:48. 214 of 220 were served by the next provider.',
                href: '/dev/ui',
                action: 'See requests',
              },
            ]}
          />
        </Specimen>
        <Specimen name="Empty">
          <Empty
            icon="key-round"
            title="No key yet"
            action={<LinkButton href="/dev/ui">Create key</LinkButton>}
          >
            A key lets an application spend from the wallet, within the limits that you set.
          </Empty>
        </Specimen>
        <Specimen name="Skeleton">
          <Skeleton lines={3} />
        </Specimen>
      </Specimens>
      <Specimens title="Code">
        <Specimen name="Block">
          <Code code={'npm start\n# prints the address and a sign-in link'} />
        </Specimen>
        <Specimen name="Languages">
          <CodeSamples id="first" samples={samples} />
        </Specimen>
      </Specimens>
      <Specimens title="Icons">
        <ul class="icon-list small">
          {iconNames.map((name) => (
            <li>
              <Icon name={name} />
              {name}
            </li>
          ))}
        </ul>
      </Specimens>
    </>
  );
}

const samples = [
  { name: 'curl', code: 'curl https://api.example/v1/models \\\n  -H "Authorization: Bearer $SLUICE_TOKEN"' },
  { name: 'Python', code: 'client = OpenAI(\n    base_url="https://api.example/v1",  \n)' },
  { name: 'TypeScript', code: 'const client = new OpenAI({\n  baseURL: "https://api.example/v1",\n});' },
] as const;
