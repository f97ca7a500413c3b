package registry

import (
	"context"

	"florin/internal/aggregator"
)

// OwnedApplication is OwnApplication for the operator, too: an empty owner. aggregator.ErrNotFound: it has another owner.
func (r *Registry) OwnedApplication(ctx context.Context, ownerID, id string) (aggregator.Application, error) {
	app, err := r.Application(ctx, id)
	if err == nil && app.OwnerID != ownerID {
		return aggregator.Application{}, aggregator.ErrNotFound
	}
	return app, err
}

// Webhooks returns events of an application of the owner, the newest first; an empty owner is the operator.
// aggregator.ErrNotFound: the application has another owner.
func (r *Registry) Webhooks(ctx context.Context, ownerID string, filter aggregator.WebhookFilter) ([]aggregator.WebhookRecord, error) {
	if _, err := r.OwnedApplication(ctx, ownerID, filter.ApplicationID); err != nil {
		return nil, err
	}
	return r.store.Webhooks(ctx, filter)
}

// Webhook returns an event of an application of the owner, with its attempts in their order. aggregator.ErrNotFound: it is
// of another application, or that has another owner.
func (r *Registry) Webhook(ctx context.Context, ownerID, applicationID, id string) (aggregator.Webhook, []aggregator.WebhookAttempt, error) {
	if _, err := r.OwnedApplication(ctx, ownerID, applicationID); err != nil {
		return aggregator.Webhook{}, nil, err
	}
	event, err := r.store.Webhook(ctx, id)
	if err == nil && event.ApplicationID != applicationID {
		err = aggregator.ErrNotFound
	}
	if err != nil {
		return aggregator.Webhook{}, nil, err
	}
	attempts, err := r.store.WebhookAttempts(ctx, id)
	return event, attempts, err
}

// SendAgain makes an event of an application of the owner due now: an open one after the earlier ones of its payment, one
// that was delivered or given up for one more try. aggregator.ErrNotFound as for Webhook.
func (r *Registry) SendAgain(ctx context.Context, ownerID, applicationID, id string) error {
	if _, _, err := r.Webhook(ctx, ownerID, applicationID, id); err != nil {
		return err
	}
	if err := r.store.ResendWebhook(ctx, id, r.now()); err != nil {
		return err
	}
	r.wakeWebhooks()
	return nil
}
