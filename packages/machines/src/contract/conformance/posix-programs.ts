import type { GuestShell } from '../guest-profile.ts'
import type { TestPrograms } from './programs.ts'

/** The suite's programs for Linux and Android: scripts of the guest's shell, and tools that every system has. */
export function posixPrograms({ script }: GuestShell): TestPrograms {
  const run = (executable: string, ...args: readonly string[]) => ({ executable, args })
  return {
    print: line => run('echo', line),
    printBoth: (stdout, stderr, exitCode, byName) =>
      script(`echo ${stdout}; echo ${stderr} ${byName ? '> /dev/stderr' : '>&2'}; exit ${exitCode}`),
    printArguments: args => run('printf', '%s|', ...args),
    printVariables: names => script(names.map(name => `echo "$${name}"`).join('; ')),
    printUserAndFolder: script('id -un; pwd'),
    count: script('i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done'),
    copyInput: run('cat'),
    succeed: run('true'),
    sleep: seconds => run('sleep', `${seconds}`),
    sleepPattern: (...seconds) => new RegExp(`sleep (${seconds.join('|')})`),
    printUpAndSleep: seconds => script(`echo up; exec sleep ${seconds}`),
    waitForChild: seconds => script(`sleep ${seconds} & wait`),
    waitForDetachedChild: seconds => script(`setsid sleep ${seconds}; true`),
    leaveChild: seconds => script(`sleep ${seconds} & echo $!`),
    leaveDetachedChild: seconds => script(`setsid sleep ${seconds} & echo $!`),
    leaveStubbornFamily: ([one, other], then) =>
      script(
        `trap '' HUP INT TERM; setsid sleep ${other} & (setsid sh -c "sleep ${one} & sleep ${other}" &) ; sleep ${one} & echo up; ${then === 'wait' ? 'wait' : `exit ${then}`}`,
      ),
    endProcess: pid => script(`kill ${pid}`),
    printTerminalSizes: script('trap "stty size; exit" WINCH; stty size; while :; do sleep 0.02; done'),
    typedPause: 'echo as""leep; sleep 0.5; echo aw""ake\n',
    python: code => run('python3', '-c', code),
    printOwner: path => run('stat', '-c', '%U', path),
    makeSymlink: (target, path) => run('ln', '-s', target, path),
    overwrite: (path, text) => script(`printf ${text} > '${path}'`),
    append: (path, text) => script(`printf ${text} >> '${path}'`),
    makeFifo: path => run('mkfifo', path),
    makeUndecodableName: folder => script(`cd '${folder}' && touch "$(printf '\\377')"`),
  }
}
