package dev.pvcpopulators.iscsitarget.directory;

import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;

/// One iSCSI target of a server.
///
/// @param name the iSCSI name of the target, for example `iqn.2017-01.io.kubevirt:sn.42`
/// @param access the access control of the target
/// @param device the logical units of the target
public record Target(String name, AccessControl access, ScsiTarget device) {}
