"""The Historical laws as a person writes them in numpy: the measure for compiled laws."""

# The arguments have the names that the laws give them.
# ruff: noqa: N803

from collections.abc import Callable
from typing import Any, Final

import numpy as np


def _field(mass: Any, r: Any, GM1: Any, m_per_Mm: Any, alpha_Y: Any, range_Y: Any) -> Any:
    return (
        GM1 * mass / (m_per_Mm * r) ** 2 * (1 + alpha_Y * (1 + r / range_Y) * np.exp(-r / range_Y))
    )


def _v_circ(mass: Any, r: Any, GM1: Any, m_per_Mm: Any, alpha_Y: Any, range_Y: Any) -> Any:
    yukawa = 1 + alpha_Y * (1 + r / range_Y) * np.exp(-r / range_Y)
    return np.sqrt(GM1 * mass / (m_per_Mm * r) * yukawa)


def _period(a_ax: Any, m_star: Any, m_comp: Any, G_ast: Any, c_bg: Any) -> Any:
    return 2 * np.pi * np.sqrt(a_ax**3 / (G_ast * (m_star + m_comp + c_bg * a_ax**3)))


def _orbit_speed(
    a_ax: Any, m_star: Any, m_comp: Any, G_ast: Any, c_bg: Any, kms_per_AUyr: Any
) -> Any:
    return kms_per_AUyr * np.sqrt(G_ast * (m_star + m_comp + c_bg * a_ax**3) / a_ax)


def _x_range(v0: Any, theta: Any, k_lin: Any, k_hor: Any) -> Any:
    return v0**2 * (k_lin * np.sin(2 * theta) + k_hor * np.sin(theta) ** 2)


def _t_flight(v0: Any, theta: Any, k_lin: Any) -> Any:
    return 2 * k_lin * v0 * np.sin(theta)


def _spring_force(x_ext: Any, n_coil: Any, K1: Any, K3: Any) -> Any:
    return K1 * x_ext / n_coil + K3 * (x_ext / n_coil) ** 3


def _spring_energy(x_ext: Any, n_coil: Any, K1: Any, K3: Any) -> Any:
    return K1 * x_ext**2 / (2 * n_coil) + K3 * x_ext**4 / (4 * n_coil**3)


def _q_vol(dP: Any, R_tube: Any, L_tube: Any, c_visc: Any, b_slip: Any) -> Any:
    return c_visc * dP * R_tube**4 / L_tube * (1 + 4 * b_slip / R_tube)


def _p_gas(n_mol: Any, T_gas: Any, V_gas: Any, R_gas: Any, b_ex: Any, a_att: Any) -> Any:
    return n_mol * R_gas * T_gas / (V_gas - n_mol * b_ex) - a_att * n_mol**2 / V_gas**2


def _u_int(n_mol: Any, T_gas: Any, V_gas: Any, c_V: Any, a_att: Any) -> Any:
    return c_V * n_mol * T_gas - a_att * n_mol**2 / V_gas


def _flux(T_body: Any, T_env: Any, sig: Any, h_cv: Any) -> Any:
    return sig * (T_body**4 - T_env**4) + h_cv * (T_body - T_env)


def _lam_peak(T_body: Any, b_W: Any) -> Any:
    return b_W / T_body


def _t_half(T_r: Any, P_r: Any, A_pre: Any, E_a: Any, dV_act: Any, R_gas: Any) -> Any:
    return np.log(2) / A_pre * np.exp((E_a + dV_act * P_r) / (R_gas * T_r))


def _v_rate(E_c: Any, S_c: Any, I_c: Any, k_cat: Any, K_m: Any, K_ic: Any, q_iu: Any) -> Any:
    return k_cat * E_c * S_c / (K_m * (1 + I_c / K_ic) + S_c * (1 + q_iu * I_c))


def _emf(T_c: Any, a_rat: Any, z_ion: Any, R_gas: Any, F_far: Any, s_th: Any, T_0: Any) -> Any:
    return R_gas * T_c / (z_ion * F_far) * np.log(a_rat) + s_th * (T_c - T_0)


def _th_out(th_in: Any, lam: Any, kap: Any, A_c: Any, B_c: Any) -> Any:
    s = np.sin(th_in)
    return np.arcsin(s * (1 + kap * s**2) / (A_c + B_c / lam**2))


def _shift(th_in: Any, lam: Any, t_pl: Any, kap: Any, A_c: Any, B_c: Any) -> Any:
    s = np.sin(th_in)
    th_out = np.arcsin(s * (1 + kap * s**2) / (A_c + B_c / lam**2))
    return t_pl * np.sin(th_in - th_out) / np.cos(th_out)


def _s_img(R_s: Any, s_obj: Any, c_1: Any, c_2: Any) -> Any:
    return 1 / (c_1 / R_s - c_2 / R_s**2 - 1 / s_obj)


def _mag(R_s: Any, s_obj: Any, c_1: Any, c_2: Any) -> Any:
    return -1 / (s_obj * (c_1 / R_s - c_2 / R_s**2 - 1 / s_obj))


def _f_el(q_1: Any, q_2: Any, r_s: Any, k_e: Any, kap: Any) -> Any:
    return k_e * q_1 * q_2 / r_s**2 * (1 + kap * r_s) * np.exp(-kap * r_s)


def _i_w(d_w: Any, V_w: Any, L_w: Any, c_g: Any, gam: Any) -> Any:
    return c_g * d_w**2 * V_w / L_w * (1 + gam * (V_w / L_w) ** 2)


def _p_w(d_w: Any, V_w: Any, L_w: Any, c_g: Any, gam: Any) -> Any:
    return c_g * d_w**2 * V_w**2 / L_w * (1 + gam * (V_w / L_w) ** 2)


def _lam_l(n_lo: Any, n_up: Any, nm_per_m: Any, R_M: Any, dq: Any) -> Any:
    return nm_per_m / (R_M * (1 / (n_lo - dq) ** 2 - 1 / (n_up - dq) ** 2))


def _e_ph(n_lo: Any, n_up: Any, h_P: Any, c_0: Any, J_per_eV: Any, R_M: Any, dq: Any) -> Any:
    return h_P * c_0 / J_per_eV * R_M * (1 / (n_lo - dq) ** 2 - 1 / (n_up - dq) ** 2)


def _b_met(m_b: Any, T_b: Any, B_0: Any, m_0: Any, b_1: Any, b_2: Any, c_T: Any, T_0: Any) -> Any:
    m = m_b / m_0
    return B_0 * m ** (b_1 + b_2 * np.log(m)) * np.exp(c_T * (1 / T_0 - 1 / T_b))


def _b_spec(m_b: Any, T_b: Any, B_0: Any, m_0: Any, b_1: Any, b_2: Any, c_T: Any, T_0: Any) -> Any:
    m = m_b / m_0
    return B_0 / m_b * m ** (b_1 + b_2 * np.log(m)) * np.exp(c_T * (1 / T_0 - 1 / T_b))


def _f_rate(N_d: Any, P_n: Any, a_s: Any, ah: Any, c_i: Any) -> Any:
    return a_s * N_d / (1 + ah * N_d + c_i * (P_n - 1))


def _m_app(
    P_c: Any, d_c: Any, M_10: Any, s_P: Any, P_0: Any, c_d: Any, d_0: Any, k_ext: Any
) -> Any:
    return M_10 + s_P * np.log10(P_c / P_0) + c_d * np.log10(d_c / d_0) + k_ext * d_c


def _n_rate(
    M_m: Any,
    t_a: Any,
    r_0: Any,
    a_p: Any,
    b_v: Any,
    M_c: Any,
    c_t: Any,
    t_0: Any,
    p_d: Any,
    q_tau: Any,
) -> Any:
    productivity = r_0 * 10 ** (a_p + b_v * (M_m - M_c))
    return productivity * ((t_a + c_t) / t_0) ** (-p_d) * np.exp(-q_tau * t_a)


def _y_x(L_x: Any, K_x: Any, A_tfp: Any, al: Any, gam: Any) -> Any:
    return A_tfp * L_x**al * K_x ** (1 - al) * np.exp(gam * np.log(K_x / L_x) ** 2)


def _mpl(L_x: Any, K_x: Any, A_tfp: Any, al: Any, gam: Any) -> Any:
    k = np.log(K_x / L_x)
    return A_tfp * L_x ** (al - 1) * K_x ** (1 - al) * np.exp(gam * k**2) * (al - 2 * gam * k)


def _t_mov(D_t: Any, W_t: Any, a_i: Any, b_n: Any, c_D: Any) -> Any:
    return a_i + b_n * np.log(2 * D_t / W_t) + c_D * D_t


def _dp_b(q_s: Any, d_p: Any, L_b: Any, c_v: Any, c_q: Any) -> Any:
    return L_b * (c_v * q_s / d_p**2 + c_q * q_s**2 / d_p)


def _w_p(q_s: Any, d_p: Any, L_b: Any, c_v: Any, c_q: Any) -> Any:
    return L_b * q_s * (c_v * q_s / d_p**2 + c_q * q_s**2 / d_p)


def _a_abs(c_s: Any, l_p: Any, e_l: Any, kap: Any) -> Any:
    return e_l * c_s * l_p / (1 + kap * c_s)


def _t_tr(c_s: Any, l_p: Any, e_l: Any, kap: Any) -> Any:
    return 10 ** (-e_l * c_s * l_p / (1 + kap * c_s))


def _n_par(t_d: Any, n_0: Any, l_1: Any) -> Any:
    return n_0 * np.exp(-l_1 * t_d)


def _n_dau(t_d: Any, n_0: Any, l_1: Any, l_2: Any) -> Any:
    return n_0 * l_1 / (l_1 - l_2) * (np.exp(-l_2 * t_d) - np.exp(-l_1 * t_d))


PLAIN: Final[dict[str, Callable[..., Any]]] = {
    "newton_gravity_field/g_field": _field,
    "newton_gravity_field/v_circ": _v_circ,
    "kepler_third_law/period": _period,
    "kepler_third_law/speed": _orbit_speed,
    "galileo_projectile/x_range": _x_range,
    "galileo_projectile/t_flight": _t_flight,
    "hooke_helical_spring/force": _spring_force,
    "hooke_helical_spring/energy": _spring_energy,
    "hagen_poiseuille/Q_vol": _q_vol,
    "ideal_gas_state/P_gas": _p_gas,
    "ideal_gas_state/U_int": _u_int,
    "blackbody_stefan_wien/flux": _flux,
    "blackbody_stefan_wien/lam_peak": _lam_peak,
    "arrhenius_half_life/t_half": _t_half,
    "michaelis_menten_inhibited/v_rate": _v_rate,
    "nernst_concentration_cell/emf": _emf,
    "snell_dispersive_plate/th_out": _th_out,
    "snell_dispersive_plate/shift": _shift,
    "thin_lens_maker/s_img": _s_img,
    "thin_lens_maker/mag": _mag,
    "coulomb_force/F_el": _f_el,
    "ohm_wire/I_w": _i_w,
    "ohm_wire/P_w": _p_w,
    "rydberg_series/lam_l": _lam_l,
    "rydberg_series/E_ph": _e_ph,
    "kleiber_metabolism/B_met": _b_met,
    "kleiber_metabolism/B_spec": _b_spec,
    "holling_disc/f_rate": _f_rate,
    "leavitt_pogson_cepheid/m_app": _m_app,
    "omori_utsu_aftershocks/n_rate": _n_rate,
    "cobb_douglas_output/Y_x": _y_x,
    "cobb_douglas_output/mpl": _mpl,
    "fitts_law/t_mov": _t_mov,
    "darcy_packed_bed/dP_b": _dp_b,
    "darcy_packed_bed/w_p": _w_p,
    "beer_lambert/A_abs": _a_abs,
    "beer_lambert/T_tr": _t_tr,
    "rutherford_soddy_decay/n_par": _n_par,
    "rutherford_soddy_decay/n_dau": _n_dau,
}
"""Law -> its function of the names of its inputs and parameters."""
