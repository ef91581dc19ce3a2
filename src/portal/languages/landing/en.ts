/** The start page. */
import type { Child } from 'hono/jsx';

export const en = {
  title: 'An inference gateway',
  description:
    'One address for every model: authenticated, limited, measured and charged from a prepaid wallet.',
  running: 'Running',
  signInNeeded: 'You are not signed in: the first step below says how',
  heading: 'One address for every model',
  lead: 'Sluice stands between your applications and the model providers. It checks who asks, keeps to limits, counts every token and takes the cost from a prepaid wallet.',
  open: 'Open the dashboard',
  signIn: 'Sign in',
  signInHow: (command: Child): Child => [
    'Starting the server prints a link in its terminal, and ',
    command,
    ' makes another. Open it in this browser and press the button: it signs in once, within an hour.',
  ],
  send: 'Send a request',
  sendHow: (variable: Child): Child => [
    'Put an API token into the variable ',
    variable,
    ', then list the models. The first start prints a token, and a line that asks a model.',
  ],
  baseUrl: (address: Child): Child => ['OpenAI clients work as they are, with the base URL ', address],
};

export type LandingWords = typeof en;
