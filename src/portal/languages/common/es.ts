/** Español: lo que puede decir cada página. */
import { countIn } from '../language.ts';
import type { CommonWords } from './en.ts';

const count = countIn('es');

export const es = {
  frame: {
    skip: 'Ir al contenido',
    main: 'Menú principal',
    site: 'Sitio',
    administration: 'Administración',
    openNavigation: 'Abrir el menú',
    closeNavigation: 'Cerrar el menú',
    account: (email) => `Cuenta de ${email}`,
    signIn: 'Iniciar sesión',
    signOut: 'Cerrar sesión',
    createAccount: 'Crear cuenta',
    openDashboard: 'Abrir el panel',
    personal: 'Personal',
    balance: 'Saldo',
    daysLeft: (days) => count(days, { one: 'día', other: 'días' }),
    slogan: 'Inferencia que pasa y se mide.',
    breadcrumb: 'Dónde está',
  },
  preferences: {
    theme: 'Tema',
    language: 'Idioma',
    followsSystem: 'Tema: el del sistema. Cambiar a claro',
    isLight: 'Tema: claro. Cambiar a oscuro',
    isDark: 'Tema: oscuro. Volver al del sistema',
  },
  pages: {
    overview: 'Resumen',
    keys: 'Claves',
    models: 'Modelos',
    requests: 'Solicitudes',
    settings: 'Ajustes',
    invites: 'Invitaciones',
    start: 'Inicio',
  },
  site: {
    product: 'Producto',
    developers: 'Desarrollo',
    company: 'Empresa',
    legal: 'Aviso legal',
  },
  palette: {
    open: 'Buscar o ir a',
    label: 'Buscar páginas',
    none: 'Nada se llama así',
    hint: 'Las flechas eligen, Intro abre, Escape cierra',
  },
  action: {
    cancel: 'Cancelar',
    close: 'Cerrar',
    dismiss: 'Descartar',
    copy: 'Copiar',
    copied: 'Copiado',
    show: 'Mostrar',
    hide: 'Ocultar',
    search: 'Buscar',
    more: 'Más acciones',
  },
  form: {
    optional: 'opcional',
    mistakes: (number) =>
      number === 1 ? 'Hay que revisar un campo' : `Hay que revisar ${count(number, { other: 'campos' })}`,
  },
  table: {
    sortAscending: 'orden ascendente',
    sortDescending: 'orden descendente',
    any: 'todos',
    clear: (name) => `${name}: todos`,
  },
  paging: {
    label: 'Páginas de la lista',
    previous: 'Anterior',
    next: 'Siguiente',
    page: (page) => `Página ${page}`,
    range: (from, to, total) => `${from} a ${to} de ${total}`,
  },
  chart: {
    asTable: 'Como tabla',
    key: 'T cambia entre gráfico y tabla',
    total: 'Total',
    partial: 'aún en curso',
    level: (balance) => `Saldo a lo largo del tiempo, ahora ${balance}`,
    today: 'hoy',
    empty: 'vacío',
  },
  change: {
    up: 'sube',
    down: 'baja',
  },
  time: {
    justNow: 'ahora mismo',
    never: 'nunca',
    minutesAndSeconds: (minutes, seconds) => `${minutes} min ${seconds} s`,
  },
  code: {
    language: 'Lenguaje del ejemplo',
  },
  loading: 'Cargando',
} satisfies CommonWords;
