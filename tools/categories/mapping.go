package main

import "strings"

// beside are tags of what a business also does: they count for names that have no other tag.
var beside = map[string]bool{"shop/convenience": true, "shop/general": true, "shop/kiosk": true, "amenity/charging_station": true, "man_made/charge_point": true,
	"power/substation": true, "amenity/car_wash": true, "amenity/parking": true, "shop/mobile_phone": true, "amenity/cafe": true, "shop/pastry": true,
	"amenity/restaurant": true, "shop/gas": true, "amenity/pharmacy": true, "shop/gift": true}

// europe are the countries whose banks the service reaches, and their neighbours.
var europe = strings.Fields("ad al at ba be bg by ch cy cz de dk ee es fi fo fr gb gg gi gr hr hu ie im is it je li lt lu lv mc md me mk mt nl no pl pt ro rs se si sk sm tr ua va xk")

// regions are groups of countries by their code of UN M49.
var regions = map[string][]string{
	"151": strings.Fields("bg by cz hu md pl ro sk ua"),
	"154": strings.Fields("dk ee fi fo gb gg ie im is je lt lv no se"),
	"039": strings.Fields("ad al ba es gi gr hr it me mk mt pt rs si sm va xk"),
	"155": strings.Fields("at be ch de fr li lu mc nl"),
	"142": {"tr"}, "145": {"tr", "cy"},
}

// strength are the categories of merchants. Of a name that has two, the first here counts: what most payments to it are for.
var strength = []string{
	"groceries", "drugstore", "home", "energy", "fuel", "dining", "clothing", "electronics", "sport", "books", "phone", "transit", "car", "travel", "health",
	"care", "pets", "children", "insurance", "entertainment", "gifts", "education", "shopping", "tax", "loan",
}

// generic are names of the index that mean something else in a booking more often than a shop.
var generic = map[string]bool{"total": true, "only": true, "next": true, "max": true, "one": true, "red": true, "home": true, "post": true, "tax": true,
	"city": true, "best": true, "super": true, "market": true, "express": true, "station": true, "first": true, "local": true, "blue": true, "green": true,
	"bank": true, "credit": true, "auto": true, "car": true, "family": true, "casa": true, "maison": true, "the": true, "san": true, "santa": true,
	"miete": true, "rent": true, "pay": true, "online": true, "service": true, "services": true, "kiosk": true, "restaurant": true, "hotel": true, "cafe": true,
	"bar": true, "pizza": true, "apotheke": true, "pharmacy": true, "pharmacie": true, "farmacia": true, "backerei": true, "bakery": true, "boulangerie": true,
	"peter": true, "paul": true, "martin": true, "anna": true, "maria": true, "thomas": true, "franz": true, "emma": true, "charles": true,
	"peters": true, "schmidt": true, "meyer": true, "weber": true, "fischer": true, "wagner": true, "becker": true}

// tags say what a tag of OpenStreetMap stands for. What is missing says nothing: banks and cash machines, masts, schools (which are paid for many things).
var tags = map[string]string{
	"groceries": `shop/supermarket shop/convenience shop/bakery shop/butcher shop/greengrocer shop/beverages shop/alcohol shop/wine shop/deli shop/frozen_food
		shop/health_food shop/cheese shop/seafood shop/dairy shop/pastry shop/confectionery shop/chocolate shop/tea shop/coffee shop/spices shop/nuts shop/wholesale
		shop/general shop/country_store shop/newsagent shop/kiosk shop/tobacco`,
	"drugstore": `shop/chemist shop/perfumery shop/cosmetics`,
	"dining":    `amenity/restaurant amenity/fast_food amenity/cafe amenity/pub amenity/bar amenity/ice_cream amenity/food_court amenity/biergarten`,
	"clothing":  `shop/clothes shop/shoes shop/fashion_accessories shop/bag shop/jewelry shop/watches shop/leather shop/tailor shop/fabric`,
	"electronics": `shop/electronics shop/computer shop/hifi shop/mobile_phone_accessories shop/video_games shop/appliance shop/camera shop/photo
		shop/printer_ink shop/vacuum_cleaner`,
	"shopping": `shop/department_store shop/variety_store shop/mall shop/catalogue shop/second_hand shop/stationery shop/outpost shop/craft shop/e-cigarette`,
	"home": `shop/furniture shop/doityourself shop/hardware shop/garden_centre shop/houseware shop/interior_decoration shop/kitchen shop/bed shop/paint
		shop/household_linen shop/bathroom_furnishing shop/flooring shop/carpet shop/curtain shop/lighting shop/tiles shop/electrical shop/trade shop/florist
		shop/doors shop/window_blind shop/tool_hire shop/locksmith craft/plumber craft/electrician craft/cleaning shop/agrarian`,
	"children": `shop/toys shop/baby_goods operators/amenity/kindergarten brands/amenity/kindergarten amenity/childcare`,
	"pets":     `shop/pet amenity/veterinary amenity/animal_boarding shop/pet_grooming`,
	"care":     `shop/hairdresser shop/beauty shop/massage shop/tattoo shop/dry_cleaning shop/laundry leisure/sauna`,
	"fuel":     `amenity/fuel amenity/charging_station man_made/charge_point`,
	"car":      `shop/car shop/car_repair shop/car_parts shop/tyres amenity/car_wash amenity/parking amenity/vehicle_inspection shop/motorcycle shop/motorcycle_repair`,
	"transit":  `amenity/bicycle_rental amenity/car_sharing amenity/car_rental route/railway amenity/ticket_validator transit/train transit/bus transit/tram transit/subway transit/ferry`,
	"entertainment": `amenity/cinema amenity/theatre amenity/casino shop/bookmaker shop/lottery shop/ticket leisure/bowling_alley leisure/amusement_arcade leisure/escape_game
		tourism/theme_park tourism/zoo tourism/museum leisure/trampoline_park leisure/indoor_play leisure/miniature_golf shop/video`,
	"sport":  `leisure/fitness_centre leisure/sports_centre shop/sports shop/outdoor shop/bicycle leisure/dance shop/fishing shop/boat`,
	"books":  `shop/books shop/music shop/musical_instrument shop/anime shop/games shop/art shop/model`,
	"travel": `tourism/hotel tourism/hostel tourism/motel tourism/caravan_site tourism/camp_site shop/travel_agency`,
	"gifts":  `shop/gift shop/charity shop/party amenity/social_facility club/scout`,
	"health": `amenity/pharmacy shop/optician shop/hearing_aids shop/medical_supply amenity/hospital amenity/clinic amenity/doctors amenity/dentist healthcare/laboratory
		healthcare/physiotherapist healthcare/audiologist shop/nutrition_supplements shop/herbalist`,
	"phone":     `shop/mobile_phone shop/telecommunication office/telecommunication`,
	"energy":    `office/energy_supplier office/water_utility shop/gas power/substation`,
	"insurance": `office/insurance`,
	"education": `amenity/language_school amenity/driving_school amenity/music_school amenity/prep_school amenity/training`,
	"loan":      `shop/money_lender shop/pawnbroker office/mortgage`,
}

var byTag = func() map[string]string {
	all := map[string]string{}
	for category, list := range tags {
		for _, tag := range strings.Fields(list) {
			all[tag] = category
		}
	}
	return all
}()

// categoryOf is the category for a folder of the index, such as "brands/shop/supermarket", "" when it says nothing.
func categoryOf(path string) string {
	if category, ok := byTag[path]; ok {
		return category
	}
	tree, tag, _ := strings.Cut(path, "/")
	switch tree {
	case "brands":
		return byTag[tag]
	case "transit":
		return byTag["transit/"+strings.TrimPrefix(tag, "route/")]
	case "operators": // what operators run besides their trade says nothing of them, but these are their trade
		switch tag {
		case "amenity/charging_station", "man_made/charge_point":
			return "energy" // most are the utilities of towns
		case "route/railway", "power/substation", "office/energy_supplier", "office/water_utility", "amenity/hospital", "amenity/clinic",
			"amenity/doctors", "amenity/childcare", "amenity/kindergarten", "amenity/car_sharing", "amenity/parking", "shop/mobile_phone":
			return byTag[tag]
		}
	}
	return ""
}

// codes say what merchant category codes stand for: single ones and ranges. A code that is missing says nothing of use to a household.
var codes = map[string]string{
	"groceries":     "5411 5422 5441 5451 5462 5499 5300 5921 5993 5994 0763",
	"drugstore":     "5122 5977",
	"dining":        "5811-5814",
	"clothing":      "5137 5139 5611-5651 5661 5681-5699 5944 5948 5949 7251 7296 5094",
	"electronics":   "5045 5065 5732 5734 5946 4812 7622 7629 7379 7372",
	"shopping":      "5309 5310 5311 5331 5399 5931 5932 5943 5961 5964 5965 5969 5999 5111 7278 5960-5963",
	"home":          "0780 1520-1799 5021 5039 5072 5074 5198 5200-5261 5712-5722 5950 5983 5996 5998 7217 7342 7349 7641 5193 5992 7623 2842",
	"children":      "5641 5945 8351",
	"pets":          "0742 5995",
	"care":          "7210 7211 7216 7230 7297 7298 5997",
	"fuel":          "5541 5542 5172 5552",
	"car":           "5013 5511-5533 5551-5599 7523-7549 8675 4784 7511",
	"transit":       "4011 4111 4112 4121 4131 4789 7512 7513 7519",
	"entertainment": "5815-5818 7800-7802 7829-7929 7932 7933 7991 7993-7996 7998 7999 4899",
	"sport":         "5655 5940 5941 7941 7992 7997",
	"books":         "2741 5192 5733 5735 5942 5970 5971 5972",
	"travel":        "3000-3999 4411 4457 4511 4582 4722 4723 5962 7011 7012 7032 7033 5561 5592",
	"gifts":         "5947 8398 8641 8651 8661 5973",
	"health":        "4119 5047 5912 5975 5976 8011-8099",
	"phone":         "4814 4815 4816 4821",
	"energy":        "4900",
	"insurance":     "6300 6381 6399",
	"education":     "8211-8299",
	"rent":          "6513",
	"tax":           "9211 9222 9223 9311 9399",
	"cash":          "6010 6011",
	"savings":       "6211",
	"fees":          "9402 8111 8931 7276",
}

// categoryOfCode is the category for a merchant category code, "" when it says nothing. A single code counts more than a range.
func categoryOfCode(code string) string {
	in := ""
	for category, list := range codes {
		for _, part := range strings.Fields(list) {
			from, to, isRange := strings.Cut(part, "-")
			if !isRange && from == code {
				return category
			}
			if isRange && from <= code && code <= to {
				in = category
			}
		}
	}
	return in
}
