/** Español: cómo se guarda el servicio y quién decide qué. */
import type { TrustWords } from './en.ts';

export const es: TrustWords = {
  security: {
    title: 'Seguridad',
    description: 'Cómo se guardan secretos, contenidos, páginas y clientes, y lo que queda para el operador.',
    lead: 'Lo que hace el programa para ser seguro y, dicho con franqueza, lo que deja a quien lo opera.',
    sections: [
      {
        title: 'Secretos',
        points: [
          ['Tokens y sesiones', 'Aleatorios, guardados como hashes SHA-256. Un token se muestra una vez.'],
          ['Contraseñas', 'Guardadas como hashes argon2id. Adivinar se frena por cuenta y por dirección.'],
          [
            'Claves de proveedores',
            'Selladas con AES-256-GCM bajo un secreto que no está en la base, abiertas solo en memoria, nunca en el registro.',
          ],
        ],
      },
      {
        title: 'Contenidos',
        points: [
          [
            'No se guardan',
            'Solicitudes y respuestas no se escriben ni en la base ni en el registro. Los registros llevan cantidades, tiempos, costes y resultados.',
          ],
          [
            'Dos excepciones, por un tiempo',
            'Pregunta y respuesta de la interfaz responses se tienen una hora en memoria, si el operador no lo cambió, para la clave que las recibió, para que la siguiente solicitud pueda referirse a ellas; `store: false` lo evita. La respuesta a una solicitud con `Idempotency-Key` se tiene un día, en memoria o sellada en Redis, solo para la misma solicitud.',
          ],
          [
            'Quién los ve',
            'El proveedor que responde. Una clave se puede limitar a modelos, proveedores y regiones.',
          ],
        ],
      },
      {
        title: 'Páginas',
        points: [
          [
            'Política estricta',
            'Las páginas no cargan nada de otros hosts ni ejecutan scripts incrustados. No se dejan enmarcar y no envían referente.',
          ],
          [
            'Nadie actúa por usted',
            'Lo que envía la página de otro sitio se rechaza. Las cookies son `HttpOnly` y `SameSite=Lax`, y en https `Secure`; la de la sesión lleva allí el prefijo `__Host-`.',
          ],
        ],
      },
      {
        title: 'Clientes separados y entradas hostiles',
        points: [
          [
            'Datos de quién',
            'Toda lectura y escritura de lo que alguien posee dice para quién. Lo que es de otro se responde como si no existiera.',
          ],
          [
            'Acotado',
            'Tamaño, tiempo y memoria de una solicitud se limitan antes de leerla, y una clave no puede tomarlo todo.',
          ],
          [
            'Un modelo, el nombrado',
            'Los campos que elegirían otro modelo, host o credencial detrás de un proveedor se rechazan.',
          ],
        ],
      },
      {
        title: 'Queda para el operador',
        points: [
          ['El cifrado en camino', 'Un proxy delante termina TLS; el programa mismo habla HTTP.'],
          [
            'Copias y conservación',
            'De la base de datos. Los registros de uso quedan, salvo que el operador fije cuántos días.',
          ],
          [
            'Límites entre varios procesos',
            'Sin Redis, cada proceso cuenta por sí mismo, así que los límites de una clave se suman.',
          ],
        ],
      },
    ],
  },
  controls: {
    title: 'Controles',
    description: 'Quién decide qué: claves, monederos, roles y los ajustes del operador.',
    lead: 'Lo que se puede mantener dentro de límites, y por quién.',
    sections: [
      {
        title: 'Una clave',
        points: [
          ['Bloqueos', 'A modelos, proveedores y regiones. Lo que un bloqueo no nombra se rechaza.'],
          ['Límites', 'Solicitudes por minuto, tokens por minuto, solicitudes a la vez.'],
          [
            'Permisos y vida',
            'Inferencia, webchat o solo lectura; una fecha de fin; revocada al momento y para siempre.',
          ],
        ],
      },
      {
        title: 'Una cuenta',
        points: [
          [
            'Monedero',
            'De prepago. Si está vacío, las solicitudes a modelos con precio se rechazan con 402; las gratuitas siguen.',
          ],
          [
            'Estado',
            'Las cuentas suspendidas se rechazan y no pierden nada; las cerradas tienen sus claves revocadas.',
          ],
          [
            'Roles',
            'De miembro a propietario de la plataforma; cada uno ve y cambia lo que su rol alcanza, y nada más.',
          ],
        ],
      },
      {
        title: 'Un proveedor',
        points: [
          [
            'Orden y visibilidad',
            'Quien declara modelos dice qué proveedores los sirven, en qué orden y en qué región.',
          ],
          [
            'Paciencia',
            'Cuánto esperar una conexión, un primer byte, una respuesta entera; también para cada proveedor.',
          ],
        ],
      },
      {
        title: 'El servicio',
        points: [
          [
            'Lo que se tiene',
            'Cuánto tiempo se tienen respuestas para referirse a ellas; `0` no tiene ninguna.',
          ],
          ['Cuánto', 'La solicitud más grande, y la memoria que todas juntas pueden tomar.'],
          [
            'Comprobado al arrancar',
            'Cada error de los ajustes se nombra, y `npx sluice doctor` pregunta a cada proveedor si funciona.',
          ],
        ],
      },
    ],
  },
  certifications: {
    title: 'Certificaciones',
    description: 'Qué certificaciones afirma tener este servicio: ninguna. Lo que un operador puede añadir.',
    lead: 'No se afirma ninguna. Nadie ha auditado ni certificado el programa; si lo hubiera hecho, esta página lo diría.',
    sections: [
      {
        title: 'Lo que significa',
        points: [
          [
            'Un certificado trata de una operación',
            'ISO 27001, SOC 2 y similares certifican cómo trabaja una organización. Un programa solo no puede tenerlos: quien opera este servicio, sí.',
          ],
          [
            'Pregunte a quien lo opera',
            'Sus certificados, sus encargados y el lugar de sus servidores los muestra él. El acuerdo de tratamiento de datos es el sitio para ello.',
          ],
        ],
      },
      {
        title: 'Lo que trae el programa',
        points: [
          [
            'Pruebas',
            'Un registro por solicitud con cada intento, ingresos y cargos de cada monedero, versiones aceptadas de las condiciones con su hora.',
          ],
          [
            'Pocos datos',
            'Ningún contenido en la base o el registro, ningún host ajeno en ninguna página, solo las cookies necesarias.',
          ],
          ['Código abierto', 'Con licencia Apache 2.0, para que se pueda leer, con sus pruebas.'],
        ],
      },
      {
        title: 'Lo que añade un operador',
        points: [
          ['Sus propios textos', 'Las páginas legales son archivos que una carpeta suya sustituye.'],
          ['Sus medidas', 'TLS, copias, conservación, acceso a servidores, gestión de incidentes.'],
        ],
      },
    ],
  },
};
