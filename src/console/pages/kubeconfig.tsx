import { useState } from 'preact/hooks';
import { call } from '../api/request.ts';
import { Dialog } from '../parts/dialog.tsx';

/** Fetches the kubeconfig and hands it to the browser as a file. */
export function Kubeconfig({ instanceId }: { readonly instanceId: string }) {
  const [problem, setProblem] = useState<string>();
  const download = async () => {
    try {
      const response = await call('GET', `/kubeconfig/${encodeURIComponent(instanceId)}`, {
        accept: '*/*',
      });
      const href = URL.createObjectURL(await response.blob());
      Object.assign(document.createElement('a'), { href, download: 'kubeconfig.yaml' }).click();
      URL.revokeObjectURL(href);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <button type="button" onClick={() => void download()}>
        Kubeconfig
      </button>
      {problem !== undefined && (
        <Dialog title="There is no kubeconfig now" onClose={() => setProblem(undefined)}>
          <p>{problem}</p>
          <div class="row">
            <button type="button" onClick={() => setProblem(undefined)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
