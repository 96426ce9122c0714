import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs an npm script of a checkout in this terminal, and returns its exit code. */
export async function runCheckoutScript(
  checkout: string,
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    cwd: checkout,
    env,
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}
