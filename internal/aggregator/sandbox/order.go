package sandbox

import "context"

// ConfirmOrder takes the PSU's word at the approval of an order, with the account that it goes from: one of Choices, or nothing where
// the order names it. The visit moves on to the one-time code that is bound to the order, or is over: at a bank without credentials, and on a device
// that was signed in. Then it returns where to send the PSU: back to the service, or nowhere when the service waits for the approval.
// ErrNothingChosen, ErrNotAChoice, *StepError.
func (s *Sandbox) ConfirmOrder(ctx context.Context, flowID, accountReference string) (returnURL string, err error) {
	return "", ErrNoVisit // TODO
}
