import { join } from 'node:path';
import { createLogger, createServer, type Logger, type ViteDevServer } from 'vite';

/**
 * Starts vite for the extension, with hot reload; it writes the folder to load, extension/dist-dev.
 *
 * @param addresses the VITE_ variables of this suite
 */
export async function startVite(
  root: string,
  addresses: Readonly<Record<string, string>>,
  port: number,
  print: (line: string) => void,
): Promise<ViteDevServer> {
  Object.assign(process.env, addresses, { BILLING_DEV_PORT: String(port) });
  const server = await createServer({
    configFile: join(root, 'extension', 'vite.config.ts'),
    clearScreen: false,
    customLogger: printingLogger(print),
  });
  return server.listen();
}

function printingLogger(print: (line: string) => void): Logger {
  const write = (message: string): void => {
    for (const line of message.split('\n')) if (line.trim() !== '') print(line);
  };
  return { ...createLogger('info', { allowClearScreen: false }), info: write, warn: write, error: write };
}
