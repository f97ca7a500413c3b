package words

// area is the German of an area of the web app, which speaks formally.
type area struct {
	texts  map[Text]string
	counts map[Text][2]forms // English and German
}

// app is the German of the web app, area by area, each in a file of its own. A text that several areas show is in common; one
// that the service shows too is in its table.
var app = []area{
	appCommon, appCharts, appDashboard, appFrame, appSignIn, appMail, appOpenID, appSignIns, appPeople, appLeaving, appTyped, appFiles,
	appAccounts, appTransactions, appCategories, appRules, appAnnotation, appSearch, appSavedSearches, appBulkEdits, appExport, appConnections, appLinking,
	appNotifications,
	appFailures,
	appSplit, appSettling, appAttachment, appBudgets, appRates, appCalendar,
	appTransfers, appMerge, appHistory, appManual, appImport, appReports, appRecurring, appDebits, appForecast,
	appBulk, appPayment, appPayForm, appRequests, appOwnApp, appPasskeys, appSecond, appPayees, appWebhooks, appServices, appCountries, appLegal, appDevice,
}
