import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'

/** How many more sandboxes the plan allows. */
export function Quota() {
  const { data } = useQuery(useCall('getLimits'))
  const quota = data?.limits.find(({ name }) => name === 'concurrentSandboxes')
  if (!quota) return null
  const { used, limit } = quota
  return (
    <p className="text-[13px] text-quiet">
      {limit === null
        ? `${used} sandboxes now; the plan ${data?.plan} has no limit.`
        : `${used} of ${limit} sandboxes are in use; ${Math.max(0, limit - used)} more are possible in the plan ${data?.plan}.`}
    </p>
  )
}
