import { noSuchKind } from '../kubernetes/kubernetes-answer.ts';
import { SystemError } from '../system-error.ts';

/** Undefined where the cluster does not know the kind: its definition comes with Kyma. */
export async function ifServed<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SystemError && error.reason === noSuchKind) return undefined;
    throw error;
  }
}
