/** Deutsch: anmelden mit dem Konto eines Anbieters. */
import type { ProvidersWords } from './en.ts';

export const de = {
  or: 'Oder mit einem Konto, das Sie schon haben',
  goOn: (provider) => `Weiter mit ${provider}`,
  again: (provider) => `Noch einmal mit ${provider}`,
  signIn: 'Zur Anmeldung',
  invitation: 'Zur Einladung',
  goingOn: {
    title: (provider) => `Weiter zu ${provider}`,
    text: 'Dort zeigen Sie, wer Sie sind, und kommen zurück. Wenn nichts geschieht, drücken Sie den Knopf.',
    action: 'Weiter',
  },
  terms: {
    title: 'Ein Schritt, bevor Ihr Konto entsteht',
    text: (email, provider) =>
      `${provider} sagt, dass Sie ${email} sind. Mit dieser Adresse gibt es noch kein Konto.`,
    portal: (name, host, organisation) =>
      `Sie kommen von ${name} (${host}). Das Konto wird zu ${organisation} gehören, und Sie werden bei ${host} angemeldet, wo dann in Ihrem Namen handeln kann, wer diese Adresse betreibt.`,
    action: 'Zustimmen und Konto anlegen',
  },
  refused: {
    denied: (provider) => ({
      title: `Sie wurden bei ${provider} nicht angemeldet`,
      text: `Es wurde dort abgebrochen, von Ihnen oder von ${provider}. Hier ist nichts geschehen.`,
    }),
    stale: (provider) => ({
      title: 'Diese Anmeldung ist vorbei',
      text: `Sie wurde vor mehr als zehn Minuten oder in einem anderen Browser begonnen, oder sie ist schon abgeschlossen. Beginnen Sie noch einmal mit ${provider}.`,
    }),
    away: (provider) => ({
      title: `${provider} ist nicht erreichbar`,
      text: 'Es kam keine Antwort oder eine, die keinen Sinn ergibt. Versuchen Sie es gleich noch einmal, oder melden Sie sich anders an. Wenn es so bleibt, sagen Sie es dem Betreiber dieses Dienstes.',
    }),
    unverified_there: (provider) => ({
      title: `${provider} steht nicht für Ihre E-Mail-Adresse ein`,
      text: `Bestätigen Sie die Adresse bei ${provider} und kommen Sie wieder, oder melden Sie sich hier mit einem Passwort an und verknüpfen Sie ${provider} in Ihren Einstellungen.`,
    }),
    unverified_here: (provider) => ({
      title: 'Mit Ihrer Adresse gibt es schon ein Konto',
      text: `Seine Adresse wurde nie bestätigt, deshalb wird es nicht von selbst mit ${provider} verknüpft. Haben Sie es angelegt, folgen Sie dem Link in der E-Mail von damals, und verknüpfen Sie ${provider} in Ihren Einstellungen. Sonst wählen Sie über „Passwort vergessen?“ ein Passwort: Damit gehört es Ihnen.`,
    }),
    other_identity: (provider) => ({
      title: `Ihr Konto ist mit einem anderen Konto bei ${provider} verknüpft`,
      text: 'Melden Sie sich mit jenem an oder wie sonst, und ändern Sie die Verknüpfung in Ihren Einstellungen.',
    }),
    other_provider: () => ({
      title: 'Ihre Organisation meldet sich anderswo an',
      text: 'Wer eine Adresse dieser E-Mail-Domain hat, meldet sich nur beim Anbieter der eigenen Organisation an. Nehmen Sie dessen Knopf auf der Anmeldeseite.',
    }),
    invited_otherwise: (provider) => ({
      title: 'Die Einladung gilt für eine andere Adresse',
      text: `Sie gilt für eine Adresse, die ${provider} nicht als Ihre nennt. Wählen Sie dort das Konto mit der eingeladenen Adresse, oder öffnen Sie die Einladung noch einmal und erstellen Sie ein Konto mit einem Passwort.`,
    }),
    invite_over: () => ({
      title: 'Diese Einladung gilt nicht mehr',
      text: 'Vielleicht wurde sie verwendet oder zurückgezogen, oder sie ist älter als sieben Tage. Bitten Sie die Person, die Sie eingeladen hat, um eine neue. Es wurde kein Konto erstellt.',
    }),
  },
  handoff: {
    question: (host) => `Weiter zu ${host}?`,
    consequence: (email, host) =>
      `Sie werden bei ${host} als ${email} angemeldet. Wer diese Adresse betreibt, kann dann in Ihrem Namen handeln. Gehen Sie nur weiter, wenn Sie selbst dort begonnen haben.`,
    goOn: (host) => `Weiter zu ${host}`,
    goingOn: 'Wenn nichts geschieht, nehmen Sie den Knopf.',
    stay: 'Stattdessen hier anmelden',
    notThere: (host) =>
      `Sie sind hier angemeldet und nicht bei ${host}: Dort meldet ein Anbieter nur Leute der eigenen Organisation an und niemanden, der die Plattform verwaltet.`,
    title: 'Diese Anmeldung ist vorbei',
    text: 'Der Weg zurück geht einmal, für kurze Zeit, und in dem Browser, der sie begonnen hat. Beginnen Sie noch einmal.',
  },
  settings: {
    provider: 'Anbieter',
    account: 'Konto',
    change: 'Ändern',
    title: 'Mit anderen Konten anmelden',
    text: 'Ein verknüpftes Konto meldet Sie hier an.',
    linked: 'Das Konto ist verknüpft. Sie können sich von nun an damit anmelden.',
    taken:
      'Jenes Konto ist hier mit einem anderen verknüpft, oder Ihres hat schon eines von diesem Anbieter.',
    link: (provider) => `${provider} verknüpfen`,
    unlink: (provider) => `${provider} trennen`,
    unlinked: 'Das Konto ist nicht mehr verknüpft.',
    none: 'Nicht verknüpft',
  },
} satisfies ProvidersWords;
