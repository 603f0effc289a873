; e2m1_add under the policy ocp round=rd, as softfp8 0.2.0 defines it
; e2m1_add: the code of the result. e2m1_add.flags: 1 inexact, 2 underflow, 4 overflow, 8 division by zero, 16 invalid
; operands: exp=2 man=1 signed=1 nan=none inf=0 zero=1 bias=1
; result: exp=2 man=1 signed=1 nan=none inf=0 zero=1 bias=1
(set-logic QF_BV)

; The codes of a format: NaN, infinity, and sig * 2^exponent

(define-fun e2m1_add.inf ((x (_ BitVec 4))) (_ BitVec 1)
  (let ((mag ((_ extract 2 0) x)))
  #b0))

(define-fun e2m1_add.nan ((x (_ BitVec 4))) (_ BitVec 1)
  (let ((mag ((_ extract 2 0) x)))
  (ite (or (and (bvugt mag (_ bv7 3)) (= (e2m1_add.inf x) #b0)) false) #b1 #b0)))

(define-fun e2m1_add.exponent ((x (_ BitVec 4))) (_ BitVec 16)
  (let ((field ((_ extract 2 1) x)))
  (let ((from (ite (= field (_ bv0 2)) (_ bv1 2) field)))
  (bvsub ((_ zero_extend 14) from) (_ bv2 16)))))

(define-fun e2m1_add.sig ((x (_ BitVec 4))) (_ BitVec 2)
  (let ((mantissa ((_ extract 0 0) x)))
  (let ((normal (not (= ((_ extract 2 1) x) (_ bv0 2)))))
  (ite normal (concat #b1 mantissa) (concat #b0 mantissa)))))

(define-fun e2m1_add.from_nan ((x (_ BitVec 4))) (_ BitVec 9)
  (let ((bit ((_ extract 3 3) x)))
  (let ((code (ite (= bit #b1) (_ bv7 4) (_ bv7 4))))
  (let ((signals #b00000))
  (concat (bvor signals (_ bv16 5)) code)))))

; The rounding of sig * 2^exponent: the flags, then the code

(define-fun e2m1_add.up ((sign (_ BitVec 1)) (shift (_ BitVec 11)) (odd (_ BitVec 1))) (_ BitVec 11)
  (let ((midpoint (bvshl (_ bv1 11) (bvsub shift (_ bv1 11)))))
  (let ((all (bvsub (bvshl (_ bv1 11) shift) (_ bv1 11))))
  (ite (= sign #b1) all (_ bv0 11)))))

(define-fun e2m1_add.round ((minus (_ BitVec 1)) (exponent (_ BitVec 16)) (sig (_ BitVec 5))) (_ BitVec 9)
  (let ((sign minus))
  (let ((zeros (ite (= ((_ extract 4 4) sig) #b1) (_ bv0 16)
    (ite (= ((_ extract 3 3) sig) #b1) (_ bv1 16)
    (ite (= ((_ extract 2 2) sig) #b1) (_ bv2 16)
    (ite (= ((_ extract 1 1) sig) #b1) (_ bv3 16)
    (_ bv4 16)))))))
  (let ((zero (= sig (_ bv0 5))))
  (let ((e (ite zero (_ bv0 16) (bvsub (bvadd exponent (_ bv4 16)) zeros))))
  (let ((places ((_ extract 10 0) zeros)))
  (let ((norm (bvshl (bvshl ((_ zero_extend 6) sig) (_ bv2 11)) places)))
  (let ((above (ite (bvsge e (_ bv0 16)) (bvsub e (_ bv0 16)) (_ bv0 16))))
  (let ((under (ite (bvslt e (_ bv0 16)) (bvsub (_ bv0 16) e) (_ bv0 16))))
  (let ((below (ite (bvugt under (_ bv4 16)) (_ bv4 16) under)))
  (let ((shift (bvadd ((_ extract 10 0) below) (_ bv5 11))))
  (let ((base (bvshl (bvsub ((_ sign_extend 3) above) (_ bv0 19)) (_ bv1 19))))
  (let ((kept (bvadd base ((_ zero_extend 8) (bvlshr norm shift)))))
  (let ((up (e2m1_add.up sign shift ((_ extract 0 0) kept))))
  (let ((nearest (bvadd base ((_ zero_extend 8) (bvlshr (bvadd norm up) shift)))))
  (let ((inexact (not (= (bvshl (bvlshr norm shift) shift) norm))))
  (let ((mag nearest))
  (let ((beyond (bvsgt mag (_ bv7 19))))
  (let ((over beyond))
  (let ((low (and (= above (_ bv0 16)) (= (bvlshr (bvlshr norm shift) (_ bv1 11)) (_ bv0 11)))))
  (let ((less (bvsub shift (_ bv1 11))))
  (let ((last ((_ extract 0 0) (bvlshr norm less))))
  (let ((tiny (and low (= (bvlshr (bvlshr (bvadd norm (e2m1_add.up sign less last)) shift) (_ bv1 11)) (_ bv0 11)))))
  (let ((flushed false))
  (let ((own (ite flushed (_ bv0 19) mag)))
  (let ((flags (bvor (ite inexact #b00001 #b00000) (ite over #b00101 #b00000) (ite (and inexact tiny) #b00010 #b00000) (ite flushed #b00011 #b00000))))
  (let ((shown sign))
  (let ((code (concat shown ((_ extract 2 0) own))))
  (let ((inward (= sign #b0)))
  (let ((limit (ite (= sign #b1) (ite inward (_ bv15 4) (_ bv15 4)) (ite inward (_ bv7 4) (_ bv7 4)))))
  (let ((refused false))
  (let ((missing false))
  (ite refused (_ bv0 9) (ite missing (ite zero (_ bv48 9) (_ bv48 9)) (concat flags (ite (or over beyond) limit code))))))))))))))))))))))))))))))))))))

(define-fun e2m1_add.result ((x (_ BitVec 4)) (y (_ BitVec 4))) (_ BitVec 9)
  (let ((sign_x ((_ extract 3 3) x)))
  (let ((sign_y ((_ extract 3 3) y)))
  (let ((size_x (bvshl ((_ zero_extend 4) (e2m1_add.sig x)) ((_ extract 5 0) (bvsub (e2m1_add.exponent x) (_ bv65535 16))))))
  (let ((value_x (ite (= sign_x #b1) (bvneg size_x) size_x)))
  (let ((size_y (bvshl ((_ zero_extend 4) (e2m1_add.sig y)) ((_ extract 5 0) (bvsub (e2m1_add.exponent y) (_ bv65535 16))))))
  (let ((value_y (ite (= sign_y #b1) (bvneg size_y) size_y)))
  (let ((sum (bvadd value_x value_y)))
  (let ((below ((_ extract 5 5) sum)))
  (let ((size (ite (= below #b1) (bvneg sum) sum)))
  (let ((both (bvor below (bvand sign_x sign_y))))
  (let ((sign (ite (= sum (_ bv0 6)) (bvor sign_x sign_y) both)))
  (let ((finite (e2m1_add.round sign (_ bv65535 16) ((_ extract 4 0) size))))
  (let ((infinite (ite (= (e2m1_add.inf x) #b0) (ite (= sign_y #b1) (_ bv271 9) (_ bv263 9))
    (ite (and (= (e2m1_add.inf y) #b1) (not (= sign_x sign_y))) (_ bv263 9) (ite (= sign_x #b1) (_ bv271 9) (_ bv263 9))))))
  (let ((nan_x (e2m1_add.from_nan x)))
  (let ((nan_y (e2m1_add.from_nan y)))
  (let ((other (ite (= (e2m1_add.nan y) #b1) (concat ((_ extract 8 4) nan_y) (_ bv0 4)) (_ bv0 9))))
  (ite (= (e2m1_add.nan x) #b1) (bvor nan_x other)
  (ite (= (e2m1_add.nan y) #b1) nan_y
  (ite (= (bvor (e2m1_add.inf x) (e2m1_add.inf y)) #b1) infinite finite))))))))))))))))))))

; The result, taken apart

(define-fun e2m1_add ((x (_ BitVec 4)) (y (_ BitVec 4))) (_ BitVec 4)
  ((_ extract 3 0) (e2m1_add.result x y)))

(define-fun e2m1_add.flags ((x (_ BitVec 4)) (y (_ BitVec 4))) (_ BitVec 5)
  ((_ extract 8 4) (e2m1_add.result x y)))
