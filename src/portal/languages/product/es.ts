/** Español: lo que el servicio hace, cuesta y pide. */
import type { ProductWords } from './en.ts';

export const es: ProductWords = {
  features: {
    title: 'Lo que hace',
    description:
      'Protocolos, proveedores, relevo, contabilidad, claves y operación: lo que hace esta pasarela.',
    lead: 'Una dirección delante de los proveedores de modelos, que habla los protocolos que sus clientes ya hablan.',
    sections: [
      {
        title: 'Todo protocolo, todo modelo',
        points: [
          [
            'Cuatro protocolos de chat',
            'Chat completions, responses, messages y generateContent, enteros o en flujo. Todo modelo de chat responde a todos; solicitudes y respuestas se convierten cuando cliente y proveedor difieren.',
          ],
          [
            'Nada se pierde',
            'Cuando ambos hablan el mismo protocolo, los bytes pasan tal cual: quedan los campos desconocidos, los enteros grandes y la escritura de los números.',
          ],
          [
            'Más que chat',
            'Vectores, reordenación, transcripción, traducción de voz y voz, cada uno en la forma que esperan los clientes habituales.',
          ],
          [
            'Los agentes tal como son',
            'Claude Code, Codex, Gemini CLI, opencode y Qwen Code se configuraron y probaron, igual que el AI SDK y LangChain.',
          ],
        ],
      },
      {
        title: 'Proveedores',
        points: [
          [
            'Muchas clases',
            'OpenAI, Anthropic, Google, Azure, Bedrock, Cohere, Voyage, Jina, Deepgram, ElevenLabs, unos veinte hosts compatibles y servidores propios como vLLM y Ollama.',
          ],
          [
            'Relevo',
            'Los proveedores de un modelo se prueban, por orden, peso, latencia o precio, hasta el primer contenido de una respuesta. Después un error se dice dentro del flujo, que entonces nunca acaba como si estuviera entero. Si se pide, otro proveedor sigue donde se cortó.',
          ],
          [
            'El modelo `auto`',
            'Es el modelo más barato que la clave puede usar y que tiene las capacidades que la solicitud necesita.',
          ],
          [
            'Reglas sobre los datos',
            'Lo que los proveedores dicen de conservación, entrenamiento y región es un bloqueo de organizaciones, departamentos, claves y solicitudes. Lo que nadie ha dicho nunca pasa.',
          ],
        ],
      },
      {
        title: 'Contabilidad',
        points: [
          [
            'Exacta',
            'Nada se cuenta dos veces, los costes van en milmillonésimas de dólar, un registro por solicitud con cada intento: nunca su contenido.',
          ],
          [
            'De prepago',
            'Cada cuenta tiene un monedero. Si está vacío, los modelos con precio responden 402 antes de preguntar a un proveedor.',
          ],
          [
            'También en flujos',
            'El uso se pide y se vuelve a quitar si el cliente no lo quería; lo que un proveedor no cuenta se cuenta aquí y se marca como estimado.',
          ],
          [
            'Presupuestos y límites',
            'Por día, semana, mes o en total, para claves, personas, departamentos y organizaciones; solicitudes y tokens por minuto. Ni las solicitudes simultáneas pasan de ellos.',
          ],
        ],
      },
      {
        title: 'Operación',
        points: [
          [
            'Un programa',
            'Una base de datos incluida para empezar, PostgreSQL para varios procesos. No hace falta nada más.',
          ],
          [
            'Visible desde fuera',
            '`/health`, métricas para Prometheus y un registro de líneas JSON con una lista cerrada de campos.',
          ],
          [
            'Se detiene con calma',
            'Las respuestas en curso acaban antes que el proceso, y lo que usaron queda escrito.',
          ],
          [
            'Avisa a quien toca',
            'Correos y webhooks firmados cuando un saldo o presupuesto se agota, una clave caduca o un proveedor falla.',
          ],
        ],
      },
    ],
  },
  pricing: {
    title: 'Precios',
    description: 'Lo que cuesta una solicitud, lo que es gratis y los precios actuales de cada modelo.',
    lead: 'Usted paga lo que usó una solicitud, al precio de su modelo, de un monedero de prepago. El programa no tiene mínimo ni cuota mensual.',
    sections: [
      {
        title: 'Cómo surge un coste',
        points: [
          [
            'Cantidad por precio',
            'Una suma exacta, redondeada una vez, a una milmillonésima de dólar. El precio es el del modelo, o el del proveedor que respondió si tiene el suyo.',
          ],
          [
            'Nada dos veces',
            'Lo que sirvió una caché tiene su precio y no vuelve a ser entrada. El razonamiento es parte de la salida.',
          ],
          [
            'Se dice con la respuesta',
            '`x-sluice-cost-usd` está en las cabeceras de una respuesta entera; el coste de un flujo está en su registro de uso.',
          ],
        ],
      },
      {
        title: 'Lo que es gratis',
        points: [
          [
            'Los intentos fallidos',
            'Los proveedores que fallaron antes del que respondió no cuestan nada, ni una solicitud que no da nada.',
          ],
          ['Las preguntas sobre modelos', 'Listar modelos y contar tokens.'],
        ],
      },
      {
        title: 'Lo que conviene saber',
        points: [
          [
            'Irse antes',
            'En cuanto la entrada está en un proveedor, se cobra; en medio de una respuesta, también lo generado hasta que se pudo parar al proveedor.',
          ],
          [
            'El último céntimo',
            'Lo que una solicitud puede costar como máximo se reserva antes de enviarla, de modo que el monedero nunca se queda en descubierto; hasta el último céntimo se puede gastar, con una respuesta más corta.',
          ],
          [
            'Lo que no tiene precio',
            'Se rechaza, o se quita de la solicitud si funciona sin ello. La respuesta lo nombra en `x-sluice-left-out`.',
          ],
        ],
      },
    ],
  },
  guide: {
    title: 'Guía',
    description: 'De una clave a flujos, límites y errores: cómo se usa la pasarela.',
    lead: 'Lo que hay que saber para usar bien la pasarela, en el orden en que hace falta.',
    sections: [
      {
        title: 'Empezar',
        points: [
          [
            '1. Una clave',
            'Quien opera este servicio le da un token de API. Guárdelo en una variable de entorno, nunca en el código. Paga el monedero de su titular.',
          ],
          [
            '2. Una dirección',
            'Los clientes de OpenAI toman la dirección de este sitio con `/v1`, los de Anthropic y Google sin ruta.',
          ],
          [
            '3. Un modelo',
            '`GET /v1/models` lista lo que la clave puede usar. Un cliente simple recibe un array, los oficiales las listas que esperan.',
          ],
        ],
      },
      {
        title: 'Flujos',
        points: [
          [
            'Se piden como siempre',
            'Con `stream: true`, o en `:streamGenerateContent` de Gemini. Si un proveedor calla, el cliente oye cada 15 segundos que la pasarela sigue ahí.',
          ],
          [
            'Mire el final',
            'Un flujo que se corta lo dice en un evento y omite su final habitual. Dé una respuesta por entera solo si llegó ese final.',
          ],
        ],
      },
      {
        title: 'Límites',
        points: [
          [
            'De una clave',
            'Solicitudes y tokens por minuto, y solicitudes a la vez. Más allá la respuesta es 429 con `retry-after`; `x-ratelimit-…` dice cuánto queda.',
          ],
          [
            'Cómo cuentan los tokens',
            'Una solicitud reserva al principio su entrada y el tope de su salida, y devuelve lo que no usó. Un `max_tokens` sensato deja pasar más solicitudes.',
          ],
        ],
      },
      {
        title: 'Errores',
        points: [
          [
            'En la forma de su cliente',
            'Un error tiene la forma del protocolo pedido, con `detail` al lado. `x-should-retry` dice si otro intento tiene sentido.',
          ],
          ['`402`', 'El monedero está vacío.'],
          [
            '`403`',
            'La clave no tiene el derecho, un bloqueo lo prohíbe o lo pedido no tiene precio. El mensaje dice cuál.',
          ],
          ['`422`', 'Hay campos mal; hasta veinte se listan en `error.fields`.'],
          [
            '`502`, `503`, `504`',
            'Todos los proveedores del modelo fallaron, estaban sobrecargados o tardaron demasiado.',
          ],
          ['Al pedir ayuda', 'Indique el `x-request-id` de la respuesta.'],
        ],
      },
    ],
  },
};
