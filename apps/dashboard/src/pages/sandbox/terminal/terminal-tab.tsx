import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../../app/calls.ts'
import { ErrorNote, Loading } from '../../../ui/notes.tsx'
import { useBox } from '../box.ts'
import { Shells } from './shells.tsx'

/** The shells of a sandbox. They go on when the page is left. */
export function TerminalTab({ sandboxId, isPhone }: { sandboxId: string; isPhone: boolean }) {
  const box = useBox(sandboxId, isPhone)
  const { data, error } = useQuery({
    ...useCall('listSandboxShells', { sandboxId }),
    refetchInterval: 5000,
    // What the list said when the tab was last open may have ended.
    staleTime: 0,
    gcTime: 0,
  })
  if (error && !data) return <ErrorNote error={error} />
  return data ? <Shells box={box} running={data.filter(({ isRunning }) => isRunning)} /> : <Loading />
}
