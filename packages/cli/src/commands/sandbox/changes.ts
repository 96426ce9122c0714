import { changeCommand } from '../../change-command.ts'

export const pause = changeCommand({
  name: 'pause',
  summary: 'Pause sandboxes. Their memory and screen are kept, and the time is not billed.',
  operation: 'pauseSandbox',
  example: 'It stays as it is until it is resumed.',
  done: 'Paused',
})

export const resume = changeCommand({
  name: 'resume',
  summary: 'Resume paused sandboxes, or start hibernated ones.',
  operation: 'resumeSandbox',
  example: 'Its programs continue where they were.',
  done: 'Resumed',
})

export const hibernate = changeCommand({
  name: 'hibernate',
  summary: 'Stop sandboxes so that they take no memory. Their files are kept, their programs end.',
  operation: 'hibernateSandbox',
  example: 'Keep its files for another day.',
  done: 'Hibernated',
})

export const restart = changeCommand({
  name: 'restart',
  summary: 'Restart sandboxes. Their files are kept.',
  operation: 'restartSandbox',
  example: 'A new desktop with the same files.',
  done: 'Restarted',
})
