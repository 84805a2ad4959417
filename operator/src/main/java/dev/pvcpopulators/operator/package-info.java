/// The operator that fills or streams claims: it watches the claims, and runs the services as Jobs
/// or Deployments.
@NullMarked
package dev.pvcpopulators.operator;

import org.jspecify.annotations.NullMarked;
