/// The settings of this service, their checks, and the LUNs that settings and clients request.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi.settings;

import org.jspecify.annotations.NullMarked;
